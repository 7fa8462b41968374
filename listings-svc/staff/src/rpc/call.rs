//! Calls of methods that are known by their descriptors alone.

use std::num::NonZeroUsize;

use kit::rpc::client::Client;
use prost_reflect::prost::Message as _;
use prost_reflect::{
    DynamicMessage, FieldDescriptor, MessageDescriptor, MethodDescriptor, ReflectMessage as _,
    Value,
};
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::codegen::http::uri::PathAndQuery;
use tonic::{Request, Status};

use super::field::{self, Field};

/// Rows per request.
const PAGE_SIZE: usize = 100;

/// What a method has answered; of a list, all pages together.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(super) message: DynamicMessage,
    /// Whether the list has more rows; `None` for what is no list.
    pub(crate) more: Option<bool>,
}

impl Answer {
    /// The rows of a list.
    pub(crate) fn rows(&self) -> Vec<DynamicMessage> {
        let field = rows_of(&self.message.descriptor());
        let rows = field
            .map(|it| self.message.get_field(&it).into_owned())
            .and_then(|it| it.as_list().map(<[Value]>::to_vec))
            .unwrap_or_default()
            .into_iter();
        rows.filter_map(|row| row.as_message().cloned()).collect()
    }
}

/// Calls a method once.
pub(crate) async fn once(
    client: Client,
    method: &MethodDescriptor,
    request: DynamicMessage,
) -> Result<DynamicMessage, Status> {
    let path = format!("/{}/{}", method.parent_service().full_name(), method.name());
    let path = PathAndQuery::try_from(path).map_err(|error| unusable(&error))?;
    let mut grpc = Grpc::new(client);
    grpc.ready().await.map_err(|error| unusable(&error))?;
    let codec = DynamicCodec(method.output());
    let response = grpc.unary(Request::new(request), path, codec).await?;
    Ok(response.into_inner())
}

/// Reads the pages of a list until it has `limit` rows.
pub(crate) async fn pages(
    client: Client,
    method: &MethodDescriptor,
    mut request: DynamicMessage,
    limit: NonZeroUsize,
) -> Result<Answer, Status> {
    let output = method.output();
    let find = |message: &MessageDescriptor, name: &str| {
        let mut fields = Field::all(message).into_iter();
        fields.find(|field| field.name() == name)
    };
    let [size, cursor] = ["limit", "cursor"].map(|name| find(&method.input(), name));
    let next = find(&output, "next_cursor");
    let (mut rows, mut first) = (Vec::new(), None);
    loop {
        let rest = (limit.get() - rows.len()).min(PAGE_SIZE).to_string();
        if let Some(size) = &size
            && let Some(last) = size.last()
            && let Ok(rest) = field::parse(&last.kind(), &rest)
        {
            size.set(&mut request, rest);
        }
        let mut message = once(client.clone(), method, request.clone()).await?;
        if let Some(Value::List(more)) = rows_of(&output).and_then(|it| message.take_field(&it)) {
            rows.extend(more);
        }
        let position = next
            .as_ref()
            .and_then(|it| it.get(&message))
            .and_then(|it| it.as_str().map(ToOwned::to_owned))
            .filter(|it| !it.is_empty());
        let mut first = first.get_or_insert(message).clone();
        let is_full = rows.len() >= limit.get();
        let (Some(cursor), Some(position), false) = (&cursor, &position, is_full) else {
            if let Some(field) = rows_of(&output) {
                first.set_field(&field, Value::List(rows));
            }
            let more = Some(position.is_some());
            return Ok(Answer { message: first, more });
        };
        cursor.set(&mut request, Value::String(position.clone()));
    }
}

/// The field that holds the rows of a list.
pub(super) fn rows_of(message: &MessageDescriptor) -> Option<FieldDescriptor> {
    message.fields().find(|it| field::row(it).is_some())
}

fn unusable(error: &impl std::fmt::Display) -> Status {
    Status::unknown(error.to_string())
}

struct DynamicCodec(MessageDescriptor);

impl Codec for DynamicCodec {
    type Encode = DynamicMessage;
    type Decode = DynamicMessage;
    type Encoder = DynamicEncoder;
    type Decoder = DynamicDecoder;

    fn encoder(&mut self) -> Self::Encoder {
        DynamicEncoder
    }

    fn decoder(&mut self) -> Self::Decoder {
        DynamicDecoder(self.0.clone())
    }
}

struct DynamicEncoder;

impl Encoder for DynamicEncoder {
    type Item = DynamicMessage;
    type Error = Status;

    fn encode(&mut self, item: Self::Item, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        item.encode(buffer).map_err(|error| unusable(&error))
    }
}

struct DynamicDecoder(MessageDescriptor);

impl Decoder for DynamicDecoder {
    type Item = DynamicMessage;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Self::Item>, Status> {
        let message = DynamicMessage::decode(self.0.clone(), buffer);
        message.map(Some).map_err(|error| unusable(&error))
    }
}
