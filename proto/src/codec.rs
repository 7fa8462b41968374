//! The gRPC codec of all calls.

use std::io;
use std::marker::PhantomData;

use prost::Message;
use tonic::Status;
use tonic::codec::{Codec, EncodeBuf, Encoder};
use tonic_prost::ProstDecoder;

/// Encodes a message into a buffer of its length. That of [`tonic_prost::ProstCodec`] grows field by field: at a field behind a long one it
/// is copied, and its capacity doubles.
#[derive(Debug)]
pub(crate) struct SizedCodec<T, U>(PhantomData<(T, U)>);

impl<T, U> Default for SizedCodec<T, U> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T: Message + 'static, U: Message + Default + 'static> Codec for SizedCodec<T, U> {
    type Encode = T;
    type Decode = U;
    type Encoder = SizedEncoder<T>;
    type Decoder = ProstDecoder<U>;

    fn encoder(&mut self) -> Self::Encoder {
        SizedEncoder(PhantomData)
    }

    fn decoder(&mut self) -> Self::Decoder {
        ProstDecoder::default()
    }
}

#[derive(Debug)]
pub(crate) struct SizedEncoder<T>(PhantomData<T>);

impl<T: Message> Encoder for SizedEncoder<T> {
    type Item = T;
    type Error = Status;

    fn encode(&mut self, item: T, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.reserve(item.encoded_len());
        Ok(item.encode(buffer).map_err(io::Error::from)?)
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use tonic::codec::EncodeBody;
    use tonic::codegen::{Body as _, tokio_stream};

    use super::*;
    use crate::common::v1::PageInfo;
    use crate::economy::v1::ListRatesResponse;

    #[test]
    fn a_long_message_is_encoded_into_a_buffer_of_its_length() {
        let message = ListRatesResponse {
            json: Some(vec![b' '; 1_000_000].into()),
            page: Some(PageInfo { total: 7, ..PageInfo::default() }),
            ..ListRatesResponse::default()
        };
        let length = message.encoded_len();
        let encoder = SizedCodec::<_, ListRatesResponse>::default().encoder();
        let data = {
            let messages = tokio_stream::once(Ok(message));
            let mut body = pin!(EncodeBody::new_client(encoder, messages, None, None));
            let Poll::Ready(Some(Ok(frame))) =
                body.as_mut().poll_frame(&mut Context::from_waker(Waker::noop()))
            else {
                panic!("the message is there");
            };
            frame.into_data().unwrap()
        };
        assert!(data.len() > length);
        assert!(data.try_into_mut().unwrap().capacity() < length + 100);
    }
}
