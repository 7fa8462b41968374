//! The attribute of a test with a database. The crate `testing` exports it.

use proc_macro::TokenStream;
use quote::quote;
use syn::{ItemFn, parse_macro_input};

/// A test with a PostgreSQL database of its own. `#[database_test(gateway::MIGRATOR)]` also creates the tables of that migrator.
///
/// The test is an `async fn` with one parameter, a `PgPool`.
///
/// `#[sqlx::test]` does the same, but it is generic over the future of a test: the compiler makes its code, the runtime of tokio included, for
/// each test again, which was a third of the code of the gateway's tests. Here all tests share that code.
#[proc_macro_attribute]
pub fn database_test(migrator: TokenStream, test: TokenStream) -> TokenStream {
    let test = parse_macro_input!(test as ItemFn);
    let migrator = if migrator.is_empty() {
        quote! { None }
    } else {
        let migrator = proc_macro2::TokenStream::from(migrator);
        quote! { Some(&#migrator) }
    };
    let ItemFn {
        attrs, sig, block, ..
    } = test;
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
