//! The fixed sets of values that fields of the public shapes take. A read's filters and a listing's checks know the same ones.

/// The platforms there are (§2.2).
pub const PLATFORMS: [&str; 10] =
    ["web", "android", "ios", "windows", "mac", "linux", "switch", "playstation", "xbox", "vr"];

/// The stages of a game there are (§2.2), the first being that of a game that names none.
pub const STAGES: [&str; 3] = ["in_development", "early_access", "released"];

/// The kinds of creators there are (§2.4).
pub const CREATOR_KINDS: [&str; 2] = ["studio", "person"];

/// The kinds of events there are (§4.3).
pub const EVENT_KINDS: [&str; 5] = ["jam", "meetup", "tournament", "showcase", "conference"];

/// The keys of a game's links (§2.2).
pub const GAME_LINKS: [&str; 10] = [
    "play",
    "steam",
    "playStore",
    "appStore",
    "itch",
    "epic",
    "xbox",
    "playstation",
    "nintendo",
    "website",
];

/// The keys of a creator's links (§2.4).
pub const CREATOR_LINKS: [&str; 15] = [
    "play",
    "steam",
    "playStore",
    "appStore",
    "itch",
    "epic",
    "xbox",
    "playstation",
    "nintendo",
    "website",
    "facebook",
    "instagram",
    "x",
    "youtube",
    "other",
];
