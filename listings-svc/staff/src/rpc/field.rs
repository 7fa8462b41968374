//! The fields of messages, and their values as a command line and a table have them.

use prost_reflect::{
    DynamicMessage, EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor, ReflectMessage as _,
    Value,
};
use prost_types::Timestamp;

use crate::arguments;

/// A field of a message, or of a message inside it.
#[derive(Debug, Clone)]
pub(super) struct Field(Vec<FieldDescriptor>);

impl Field {
    /// The fields of a message. A field that is a message itself is replaced by the fields of that.
    pub(super) fn all(message: &MessageDescriptor) -> Vec<Self> {
        let mut fields = Vec::new();
        for field in message.fields() {
            match inner(&field) {
                Some(message) => fields.extend(Self::all(&message).into_iter().map(|rest| {
                    let mut path = vec![field.clone()];
                    path.extend(rest.0);
                    Self(path)
                })),
                None => fields.push(Self(vec![field])),
            }
        }
        fields
    }

    /// The name on a command line and in the options of a contract: without `_id`, which says what the person need not know.
    pub(super) fn argument(&self) -> String {
        let name = self.name();
        name.strip_suffix("_id").unwrap_or(name).replace('_', "-")
    }

    /// The name in a table.
    pub(super) fn label(&self) -> String {
        label(self.name())
    }

    pub(super) fn name(&self) -> &str {
        self.last().map_or("", FieldDescriptor::name)
    }

    pub(super) fn last(&self) -> Option<&FieldDescriptor> {
        self.0.last()
    }

    pub(super) fn set(&self, message: &mut DynamicMessage, value: Value) {
        let Some((last, parents)) = self.0.split_last() else {
            return;
        };
        let mut message = message;
        for parent in parents {
            let Value::Message(inner) = message.get_field_mut(parent) else {
                return;
            };
            message = inner;
        }
        message.set_field(last, value);
    }

    /// The value in a message; `None` when it is absent, which a text or a number without `optional` never is.
    pub(super) fn get(&self, message: &DynamicMessage) -> Option<Value> {
        let (last, parents) = self.0.split_last()?;
        let mut message = message.clone();
        for parent in parents {
            let inner = message.get_field(parent).as_message()?.clone();
            message = inner;
        }
        let is_absent = last.supports_presence() && !message.has_field(last);
        (!is_absent).then(|| message.get_field(last).into_owned())
    }
}

/// The message that a field is, unless it is shown as one value.
pub(super) fn inner(field: &FieldDescriptor) -> Option<MessageDescriptor> {
    let Kind::Message(message) = field.kind() else {
        return None;
    };
    let is_value = field.is_list() || field.is_map() || is_timestamp(&message);
    (!is_value).then_some(message)
}

/// The message that each item of a list is.
pub(super) fn row(field: &FieldDescriptor) -> Option<MessageDescriptor> {
    let Kind::Message(message) = field.kind() else {
        return None;
    };
    field.is_list().then_some(message)
}

fn is_timestamp(message: &MessageDescriptor) -> bool {
    message.full_name() == "google.protobuf.Timestamp"
}

/// A name as words: `created_at` is `created`.
pub(super) fn label(name: &str) -> String {
    let name = name.strip_suffix("_at").unwrap_or(name);
    name.strip_suffix("_id").unwrap_or(name).replace('_', " ")
}

/// A value that is typed.
pub(super) fn parse(kind: &Kind, text: &str) -> Result<Value, String> {
    fn number<N: std::str::FromStr>(text: &str) -> Result<N, String> {
        text.parse().map_err(|_error| "give a whole number".to_owned())
    }
    Ok(match kind {
        Kind::Bool => Value::Bool(match text {
            "true" | "yes" | "on" => true,
            "false" | "no" | "off" => false,
            _ => return Err("give `on` or `off`".to_owned()),
        }),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => Value::I32(number(text)?),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => Value::I64(number(text)?),
        Kind::Uint32 | Kind::Fixed32 => Value::U32(number(text)?),
        Kind::Uint64 | Kind::Fixed64 => Value::U64(number(text)?),
        Kind::Enum(of) => Value::EnumNumber(
            names(of).find(|(name, _)| name == text).map(|(_, number)| number).ok_or_else(
                || {
                    let known: Vec<String> = names(of).map(|(name, _)| name).collect();
                    format!("give one of: {}", known.join(", "))
                },
            )?,
        ),
        Kind::Message(message) if is_timestamp(message) => {
            let at = kit::api::timestamp::encode(arguments::timestamp(text)?);
            let mut value = DynamicMessage::new(message.clone());
            value.transcode_from(&at).map_err(|error| error.to_string())?;
            Value::Message(value)
        }
        Kind::Bytes => Value::Bytes(text.as_bytes().to_vec().into()),
        Kind::Float | Kind::Double | Kind::Message(_) => {
            return Err("this cannot be given on a command line".to_owned());
        }
        Kind::String => Value::String(text.to_owned()),
    })
}

/// The values of an enumeration, as people name them: `STATE_PENDING` is `pending`. Without the unspecified one.
pub(super) fn names(of: &EnumDescriptor) -> impl Iterator<Item = (String, i32)> {
    let unspecified = of.default_value().name().to_owned();
    let prefix = unspecified.trim_end_matches("UNSPECIFIED").to_owned();
    let values: Vec<_> = of.values().collect();
    let named = values.into_iter().filter(|value| value.number() != 0);
    named.map(move |value| {
        let name = value.name();
        let short = name.strip_prefix(&prefix).unwrap_or(name);
        (short.to_lowercase(), value.number())
    })
}

/// The name of a value of an enumeration; empty for the unspecified one.
pub(super) fn name_of(of: &EnumDescriptor, number: i32) -> String {
    let named = names(of).find(|(_, it)| *it == number);
    named.map_or_else(String::new, |(name, _)| name)
}

/// The time that a value is.
pub(super) fn time(value: &DynamicMessage) -> Option<Timestamp> {
    let is_time = is_timestamp(&value.descriptor());
    value.transcode_to().ok().filter(|_| is_time)
}
