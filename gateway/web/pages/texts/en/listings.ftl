## Listings of an account
