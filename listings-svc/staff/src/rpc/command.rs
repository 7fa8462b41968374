//! The commands of the contracts: one for each usage line of a method with the option `common.v1.staff`.

use clap::builder::{PossibleValuesParser, TypedValueParser as _, ValueParser};
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Args as _, Command, FromArgMatches as _};
use prost_reflect::{
    DescriptorPool, DynamicMessage, FieldDescriptor, FileDescriptor, Kind, MethodDescriptor, Value,
};

use super::ACCOUNT;
use super::field::{self, Field};
use crate::arguments;
use crate::confirm::{self, Confirmation};

/// The noun that stands for each kind of listing.
const ANY_KIND: &str = "KIND";
const KINDS: [&str; 3] = ["page", "game", "event"];
/// Rows that a list has at most, unless `--limit` says otherwise.
const ROWS: &str = "500";

/// A command that calls one method.
#[derive(Debug)]
pub(crate) struct RpcCommand {
    /// The noun and the verb.
    pub(super) path: Vec<String>,
    pub(super) method: MethodDescriptor,
    arguments: Vec<Argument>,
    /// Fields that the command itself sets.
    fixed: Vec<(Field, Value)>,
    /// Whether the answer has pages.
    pub(super) is_paged: bool,
    confirm: String,
    /// The command that lists what the arguments name.
    pub(super) list: String,
}

/// An argument, and the fields that it sets: one, or those of `KIND/NAME`.
#[derive(Debug)]
struct Argument {
    name: String,
    fields: Vec<Field>,
    place: Place,
}

#[derive(Debug, PartialEq, Eq)]
enum Place {
    Position,
    OptionalPosition,
    RequiredOption,
    Option,
    OptionWithDefault(String),
}

/// Reads the commands of all contracts.
pub(super) fn read(pool: &DescriptorPool) -> Result<Vec<RpcCommand>, String> {
    let Some(staff) = pool.get_extension_by_name("common.v1.staff") else {
        return Err("they have no option `common.v1.staff`".to_owned());
    };
    let mut commands = Vec::new();
    let services = pool.services();
    for method in services.flat_map(|it| it.methods().collect::<Vec<_>>()) {
        let options = method.options();
        if !options.has_extension(&staff) {
            continue;
        }
        let option = options.get_extension(&staff);
        let Some(option) = option.as_message() else {
            continue;
        };
        let text = |name: &str| {
            let value = option.get_field_by_name(name);
            value.and_then(|it| it.as_str().map(ToOwned::to_owned)).unwrap_or_default()
        };
        let field = option.get_field_by_name("usage");
        let usages = field.iter().flat_map(|it| it.as_list().unwrap_or_default());
        for usage in usages.filter_map(Value::as_str) {
            let wrong = |problem| format!("{}: {problem}", method.full_name());
            let nouns = match usage.strip_prefix(ANY_KIND) {
                Some(_) => &KINDS[..],
                None => &[""],
            };
            for noun in nouns {
                let command = RpcCommand::new(&method, noun, usage).map_err(wrong)?;
                commands.push(RpcCommand {
                    confirm: text("confirm"),
                    list: text("list"),
                    ..command
                });
            }
        }
    }
    Ok(commands)
}

impl RpcCommand {
    /// The command of a usage line. `kind` is the noun that replaces [`ANY_KIND`], if the line has it.
    fn new(method: &MethodDescriptor, kind: &str, usage: &str) -> Result<Self, String> {
        let mut fields = Field::all(&method.input());
        let mut take = |name: &str| {
            let at = fields
                .iter()
                .position(|field| field.argument() == name)
                .ok_or_else(|| format!("`{usage}` names `{name}`, which is no field"))?;
            Ok::<_, String>(fields.remove(at))
        };
        let (mut path, mut arguments, mut fixed) = (Vec::new(), Vec::new(), Vec::new());
        for word in usage.split(' ') {
            let (place, name) = if word == ANY_KIND && path.is_empty() {
                fixed.push((take("kind")?, Value::String(kind.to_owned())));
                path.push(kind.to_owned());
                continue;
            } else if let Some(option) = word.strip_prefix("--") {
                match option.split_once('=') {
                    Some((name, value)) => (Place::OptionWithDefault(value.to_owned()), name),
                    None => (Place::RequiredOption, option),
                }
            } else if let Some((name, value)) = word.split_once('=') {
                let field = take(name)?;
                let kind = field.last().map_or(Kind::String, FieldDescriptor::kind);
                fixed.push((field, field::parse(&kind, value)?));
                continue;
            } else if let Some(name) = word.strip_prefix('[') {
                (Place::OptionalPosition, name.trim_end_matches(']'))
            } else if word.starts_with(|c: char| c.is_ascii_uppercase()) {
                (Place::Position, word)
            } else {
                path.push(word.to_owned());
                continue;
            };
            let name = name.to_lowercase();
            arguments.push(Argument {
                fields: name.split('/').map(&mut take).collect::<Result<_, _>>()?,
                name,
                place,
            });
        }
        let is_paged = take("cursor").is_ok() && take("limit").is_ok();
        arguments.extend(fields.into_iter().map(|field| Argument {
            name: field.argument(),
            fields: vec![field],
            place: Place::Option,
        }));
        Ok(Self {
            path,
            method: method.clone(),
            arguments,
            fixed,
            is_paged,
            confirm: String::new(),
            list: String::new(),
        })
    }

    /// Adds the command to the command line; its noun too, if it is the first.
    pub(crate) fn add_to(&self, staff: Command, all: &[Self]) -> Command {
        let [noun, _] = &self.path[..] else {
            return staff.subcommand(self.clap());
        };
        if staff.find_subcommand(noun).is_some() {
            return staff.mut_subcommand(noun, |it| it.subcommand(self.clap()));
        }
        let verbs = all.iter().filter_map(|it| match &it.path[..] {
            [other, verb] if other == noun => Some(verb.as_str()),
            _ => None,
        });
        let mut name = noun.clone();
        name[..1].make_ascii_uppercase();
        let about = format!("{name}: {}", verbs.collect::<Vec<_>>().join(", "));
        let command = Command::new(noun.clone())
            .about(about)
            .subcommand_required(true)
            .arg_required_else_help(true);
        staff.subcommand(command.subcommand(self.clap()))
    }

    fn clap(&self) -> Command {
        let service = self.method.parent_service();
        let about = comment(&service.parent_file(), self.method.path());
        let verb = self.path.last().cloned().unwrap_or_default();
        let first = about.split_once(". ").map_or(about.as_str(), |(first, _)| first);
        let mut command = Command::new(verb).about(first.to_owned()).long_about(about.clone());
        for argument in &self.arguments {
            command = command.arg(argument.clap());
        }
        for oneof in self.arguments.iter().filter_map(Argument::oneof) {
            let members = self
                .arguments
                .iter()
                .filter(|it| it.oneof().as_ref() == Some(&oneof))
                .map(|it| it.name.clone());
            let group = ArgGroup::new(oneof.clone()).args(members).required(true);
            if !command.get_groups().any(|it| it.get_id().as_str() == oneof) {
                command = command.group(group);
            }
        }
        if self.is_paged {
            let limit = Arg::new("limit").long("limit").value_name("N").default_value(ROWS);
            let limit = limit.value_parser(arguments::limit).help("Rows at most");
            command = command.arg(limit);
        }
        if !self.confirm.is_empty() {
            command = Confirmation::augment_args(command);
        }
        command
    }

    /// The question before the call, and whether it is answered.
    pub(super) fn question(&self, matches: &ArgMatches) -> Option<(String, Confirmation)> {
        if self.confirm.is_empty() {
            return None;
        }
        let confirmation = Confirmation::from_arg_matches(matches).ok()?;
        let mut question = self.confirm.clone();
        for argument in &self.arguments {
            let given: Vec<String> = matches
                .try_get_raw(&argument.name)
                .ok()
                .flatten()
                .into_iter()
                .flatten()
                .map(|it| it.to_string_lossy().into_owned())
                .collect();
            let place = format!("{{{}}}", argument.name);
            question = question.replace(&place, &confirm::enumerate(&given));
        }
        Some((question, confirmation))
    }

    /// The request of a command line.
    pub(super) fn request(&self, matches: &ArgMatches) -> Result<DynamicMessage, String> {
        let mut request = DynamicMessage::new(self.method.input());
        for (field, value) in &self.fixed {
            field.set(&mut request, value.clone());
        }
        for argument in &self.arguments {
            argument.set(&mut request, matches)?;
        }
        Ok(request)
    }

    /// Whether an argument with a place of its own sets the field.
    pub(super) fn names(&self, field: &str) -> bool {
        let mut named = self.arguments.iter().filter(|it| it.place == Place::Position);
        named.any(|it| it.fields.iter().any(|it| it.name() == field))
    }
}

impl Argument {
    fn clap(&self) -> Arg {
        let is_positional = matches!(self.place, Place::Position | Place::OptionalPosition);
        let field = self.fields.first().and_then(Field::last);
        let described = self.fields.iter().filter_map(Field::last).map(describe);
        let mut arg = Arg::new(self.name.clone()).help(described.collect::<Vec<_>>().join("; "));
        if !is_positional {
            arg = arg.long(self.name.clone());
        }
        let value_name = self.name.to_uppercase();
        let Some(field) = field.filter(|_| self.fields.len() == 1) else {
            return arg.value_name(value_name).required(true);
        };
        if field.kind() == Kind::Bool && !is_positional {
            return arg.action(ArgAction::SetTrue);
        }
        arg = arg.value_name(value_name);
        match field.kind() {
            Kind::Bool => arg = arg.value_name("on|off").value_parser(parser(Kind::Bool)),
            Kind::Message(_) if field.is_list() => arg = arg.value_name("FILE"),
            Kind::Enum(of) => {
                let names = field::names(&of).map(|(name, _)| name);
                let known = PossibleValuesParser::new(names.collect::<Vec<_>>());
                let value = move |name: String| field::parse(&Kind::Enum(of.clone()), &name);
                arg = arg.value_parser(known.try_map(value));
            }
            kind => arg = arg.value_parser(parser(kind)),
        }
        if field.is_list() && is_positional && !matches!(field.kind(), Kind::Message(_)) {
            arg = arg.num_args(1..);
        }
        match &self.place {
            Place::Position | Place::RequiredOption => arg.required(true),
            Place::OptionWithDefault(value) => arg.default_value(value.clone()),
            Place::OptionalPosition | Place::Option => arg,
        }
    }

    /// The name of the choice that the field is one of.
    fn oneof(&self) -> Option<String> {
        let oneof = self.fields.first()?.last()?.containing_oneof()?;
        (!oneof.is_synthetic()).then(|| oneof.name().to_owned())
    }

    fn set(&self, request: &mut DynamicMessage, matches: &ArgMatches) -> Result<(), String> {
        let [field] = &self.fields[..] else {
            let given = matches.get_one::<String>(&self.name).map(String::as_str);
            let words: Vec<&str> = given.unwrap_or_default().split('/').collect();
            if words.len() != self.fields.len() {
                return Err(format!("give {}", self.name.to_uppercase()));
            }
            for (field, word) in self.fields.iter().zip(words) {
                field.set(request, Value::String(word.to_owned()));
            }
            return Ok(());
        };
        let Some(descriptor) = field.last() else {
            return Ok(());
        };
        if let Some(row) = field::row(descriptor) {
            if let Some(path) = matches.get_one::<String>(&self.name) {
                field.set(request, Value::List(super::file::read(&row, path)?));
            }
            return Ok(());
        }
        if descriptor.kind() == Kind::Bool && self.place == Place::Option {
            if matches.get_flag(&self.name) {
                field.set(request, Value::Bool(true));
            }
            return Ok(());
        }
        let given: Vec<Value> =
            matches.get_many::<Value>(&self.name).into_iter().flatten().cloned().collect();
        match (descriptor.is_list(), given.first()) {
            (_, None) => {}
            (true, _) => field.set(request, Value::List(given)),
            (false, Some(value)) => field.set(request, value.clone()),
        }
        Ok(())
    }
}

fn parser(kind: Kind) -> ValueParser {
    ValueParser::new(move |text: &str| field::parse(&kind, text))
}

/// The help of an argument that sets a field.
fn describe(field: &FieldDescriptor) -> String {
    let comment = comment(&field.parent_file(), field.path());
    match field::row(field) {
        // `account::id` finds it, whatever the field is.
        _ if field.name() == ACCOUNT => {
            "The id of the account, or the e-mail address of a person who belongs to no other one"
                .to_owned()
        }
        Some(_) => format!("A file with one JSON object a line: {comment}"),
        None => comment,
    }
}

/// The comment on a method or a field.
fn comment(file: &FileDescriptor, path: &[i32]) -> String {
    let info = file.file_descriptor_proto().source_code_info.as_ref();
    let mut locations = info.iter().flat_map(|info| &info.location);
    let comment = locations.find(|it| it.path == path).map_or("", |it| it.leading_comments());
    let lines: Vec<&str> = comment.lines().map(str::trim).collect();
    lines.join(" ").trim().trim_end_matches('.').to_owned()
}
