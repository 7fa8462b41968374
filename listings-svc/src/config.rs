//! Settings of listings-svc.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use kit::config::{Common, Secret, a_second_or_more, count};

#[derive(Debug, Clone, Args)]
pub struct Settings {
    #[command(flatten)]
    pub common: Common,
    /// Base URL of the public pages; the page of a game is at /games/SLUG below it
    #[arg(long, value_parser = kit::public_url::parse)]
    pub public_url: String,
    /// Maximum number of pending submissions of one account
    #[arg(long, default_value = "10", value_parser = clap::value_parser!(i64).range(0..))]
    pub max_pending: i64,
    /// Redis 6.2 or newer, as redis://host:port, redis+cluster://host:port,host:port, or rediss:// for TLS
    #[arg(long, hide_env_values = true, value_parser = kit::redis::url)]
    pub redis_url: Secret,
    #[command(flatten)]
    pub files: PictureSettings,
}

/// Settings of the picture store, and the limits of an upload.
#[derive(Debug, Clone, Args)]
pub struct PictureSettings {
    /// Where picture files are stored: a folder that all replicas share, or `s3://bucket/prefix`
    #[arg(long)]
    pub pictures: PictureLocation,
    /// URL of an S3-compatible server other than Amazon's; requests are path-style
    #[arg(long, value_parser = kit::public_url::parse)]
    pub pictures_endpoint: Option<String>,
    /// Region of the bucket
    #[arg(long, default_value = "us-east-1")]
    pub pictures_region: String,
    /// Id of the access key for the bucket; without one, the role of the machine is used
    #[arg(long)]
    pub pictures_key_id: Option<String>,
    /// Secret of the access key for the bucket
    #[arg(long, hide_env_values = true)]
    pub pictures_secret: Option<Secret>,
    /// Seconds that the picture store may take for one operation, with its retries; 30 at most
    #[arg(long, default_value = "20", value_parser = pictures_deadline)]
    pub pictures_deadline: Duration,
    /// Maximum size of an uploaded file, in megabytes. With a lower one than 10 the forms of the site still say 10; the refusal says the right one
    #[arg(long, default_value = "10", value_parser = megabytes)]
    pub picture_megabytes: usize,
    /// Pictures that an account may upload in 24 hours, refused ones included
    #[arg(long, default_value = "200", value_parser = clap::value_parser!(i64).range(1..))]
    pub pictures_per_day: i64,
    /// Pictures processed at once; each uses one core and several times the memory of its pixels
    #[arg(long, default_value = "2", value_parser = count)]
    pub pictures_at_once: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PictureLocation {
    Folder(PathBuf),
    /// A bucket with the S3 API.
    Bucket {
        bucket: String,
        /// Prefix of every object key; may be empty.
        prefix: String,
    },
}

impl FromStr for PictureLocation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some(rest) = text.strip_prefix("s3://") else {
            return match text {
                "" => Err("give a folder, or s3://bucket/prefix".to_owned()),
                _ if text.contains("://") => {
                    Err("this scheme is not supported: give a folder, or s3://bucket/prefix"
                        .to_owned())
                }
                folder => Ok(Self::Folder(folder.into())),
            };
        };
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err("the name of the bucket is missing: give s3://bucket/prefix".to_owned());
        }
        Ok(Self::Bucket { bucket: bucket.to_owned(), prefix: prefix.trim_matches('/').to_owned() })
    }
}

impl PictureSettings {
    fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        if self.pictures_key_id.is_some() != self.pictures_secret.is_some() {
            problems.push("pictures_key_id and pictures_secret: set both or neither".to_owned());
        }
        problems
    }
}

/// The site receives no larger picture.
const MAX_PICTURE_MEGABYTES: usize = 10;

fn megabytes(value: &str) -> Result<usize, String> {
    let megabytes = value.parse().ok();
    megabytes
        .filter(|megabytes| (1..=MAX_PICTURE_MEGABYTES).contains(megabytes))
        .ok_or_else(|| format!("give a whole number from 1 to {MAX_PICTURE_MEGABYTES}"))
}

/// The sweep holds the row of a picture while the store deletes its two files.
const MAX_PICTURES_DEADLINE: Duration = Duration::from_secs(30);

fn pictures_deadline(value: &str) -> Result<Duration, String> {
    match a_second_or_more(value)? {
        deadline if deadline > MAX_PICTURES_DEADLINE => {
            let most = MAX_PICTURES_DEADLINE.as_secs();
            Err(format!("it must be {most} seconds or less"))
        }
        deadline => Ok(deadline),
    }
}

impl kit::config::Settings for Settings {
    const SERVICE: &'static str = "listings-svc";
    const PREFIX: &'static str = "LISTINGS";
    const ABOUT: &'static str = "Owns the listings: pages of creators, games and events";

    fn common(&self) -> &Common {
        &self.common
    }

    fn problems(&self) -> Vec<String> {
        self.files.problems()
    }
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches as _;

    use super::*;

    fn read(more: &[&str]) -> PictureSettings {
        let given = ["listings-svc", "--pictures=/srv/pictures"];
        let command = PictureSettings::augment_args(clap::Command::new("listings-svc"));
        let matches = command.get_matches_from(given.iter().chain(more));
        PictureSettings::from_arg_matches(&matches).unwrap()
    }

    #[test]
    fn an_account_may_upload_two_hundred_pictures_a_day() {
        assert_eq!(read(&[]).pictures_per_day, 200);
    }

    #[test]
    fn a_picture_location_is_a_folder_or_a_bucket() {
        let bucket = |prefix: &str| PictureLocation::Bucket {
            bucket: "mchezo".to_owned(),
            prefix: prefix.to_owned(),
        };
        assert_eq!("s3://mchezo/a/b/".parse(), Ok(bucket("a/b")));
        assert_eq!("s3://mchezo".parse(), Ok(bucket("")));
        assert_eq!("a/b".parse(), Ok(PictureLocation::Folder("a/b".into())));
        for bad in ["", "s3://", "s3:///x", "gs://mchezo"] {
            assert!(bad.parse::<PictureLocation>().is_err(), "{bad}");
        }
    }

    #[test]
    fn the_picture_limit_is_one_to_ten_megabytes() {
        assert_eq!(megabytes("5"), Ok(5));
        assert_eq!(megabytes("10"), Ok(10));
        for bad in ["0", "11", "-1", "ten"] {
            assert!(megabytes(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_deadline_of_the_store_is_at_most_thirty_seconds() {
        assert_eq!(pictures_deadline("1"), Ok(Duration::from_secs(1)));
        assert_eq!(pictures_deadline("30"), Ok(MAX_PICTURES_DEADLINE));
        for bad in ["0", "31", "120", "soon"] {
            assert!(pictures_deadline(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_key_id_without_its_secret_is_refused() {
        assert!(read(&[]).problems().is_empty());
        assert_eq!(read(&["--pictures-key-id=a"]).problems().len(), 1);
        let both = ["--pictures-key-id=a", "--pictures-secret=hush-hush"];
        assert!(read(&both).problems().is_empty());
    }
}
