//! The attribute `database_test`, which the crate `testing` exports.

use proc_macro::TokenStream;
use quote::quote;
use syn::{ItemFn, parse_macro_input};

/// A test with its own PostgreSQL database. `#[database_test(gateway::MIGRATOR)]` also creates the tables of that migrator.
///
/// The test is an `async fn` with one parameter, a `PgPool`.
///
/// `#[sqlx::test]` does the same, but is generic over the future of the test: the compiler generates its code, including the tokio runtime, once per
/// test. That was a third of the code of the gateway's tests. Here all tests share one copy.
#[proc_macro_attribute]
pub fn database_test(migrator: TokenStream, test: TokenStream) -> TokenStream {
    let test = parse_macro_input!(test as ItemFn);
    let migrator = if migrator.is_empty() {
        quote! { None }
    } else {
        let migrator = proc_macro2::TokenStream::from(migrator);
        quote! { Some(&#migrator) }
    };
    let ItemFn { attrs, sig, block, .. } = test;
    let (name, parameter) = (&sig.ident, &sig.inputs);
    quote! {
        #(#attrs)*
        #[::core::prelude::v1::test]
        fn #name() {
            async fn #name(#parameter) { #block }
            let path = concat!(module_path!(), "::", stringify!(#name));
            ::testing::database::run(path, #migrator, |pool| Box::pin(#name(pool)));
        }
    }
    .into()
}
