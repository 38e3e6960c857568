use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use super::java_properties;

/// A password or key: never shown, logged or stored.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret.
    #[must_use]
    pub fn new(text: String) -> Self {
        Self(text)
    }

    /// The secret itself, for the one place that needs it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// Whether a property of this name holds something that must not be seen.
pub(super) fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["password", "passwd", "secret", "jaas", "credential", "token", "passphrase", ".key.pem"]
        .iter()
        .any(|word| name.contains(word))
        || name.ends_with("ssl.keystore.key")
}

/// The variables of a process's environment.
#[derive(Clone, Default)]
pub struct Environment(BTreeMap<String, String>);

impl Environment {
    /// This process's; variables that are not UTF-8 do not count.
    #[must_use]
    pub fn of_process() -> Self {
        let text = |os: std::ffi::OsString| os.into_string().ok();
        std::env::vars_os().filter_map(|(name, value)| Some((text(name)?, text(value)?))).collect()
    }

    /// The variable of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

impl FromIterator<(String, String)> for Environment {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(variables: I) -> Self {
        Self(variables.into_iter().collect())
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// Where a reference's secret lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Provider {
    /// A key of a `.properties` file.
    File,
    /// A variable of the environment.
    Env,
    /// A file of its own in a directory.
    Dir,
}

/// The config providers by name: `file`, `env` and `dir`, and what the worker's file adds.
#[derive(Clone, Debug)]
pub(super) struct Providers<'a> {
    names: BTreeMap<String, Provider>,
    environment: &'a Environment,
}

/// A reference that leads nowhere, and why.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unresolved {
    pub(super) reference: String,
    pub(super) reason: String,
}

impl<'a> Providers<'a> {
    pub(super) fn new(environment: &'a Environment) -> Self {
        let names = [("file", Provider::File), ("env", Provider::Env), ("dir", Provider::Dir)];
        Self { names: names.map(|(name, kind)| (name.to_owned(), kind)).into(), environment }
    }

    /// Adds a provider under a name of the worker's.
    pub(super) fn add(&mut self, name: &str, provider: Provider) {
        self.names.insert(name.to_owned(), provider);
    }

    /// `text` with every `${provider:path:key}` or `${provider:key}` of a known provider replaced once, and whether
    /// there was one. Anything else stays as it is, `${name}` without a colon above all.
    pub(super) fn resolve(&self, text: &str) -> Result<(String, bool), Unresolved> {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        let mut found = false;
        while let Some((before, after)) = rest.split_once("${") {
            out.push_str(before);
            let Some((inside, behind)) = after.split_once('}') else {
                out.push_str("${");
                rest = after;
                continue;
            };
            let known = inside
                .split_once(':')
                .and_then(|(name, place)| Some((*self.names.get(name)?, place)));
            if let Some((provider, place)) = known {
                let value = self
                    .look_up(provider, place)
                    .map_err(|reason| Unresolved { reference: format!("${{{inside}}}"), reason })?;
                out.push_str(&value);
                found = true;
                rest = behind;
            } else {
                out.push_str("${");
                rest = after;
            }
        }
        out.push_str(rest);
        Ok((out, found))
    }

    fn look_up(&self, provider: Provider, place: &str) -> Result<String, String> {
        let (path, key) = place.split_once(':').unwrap_or(("", place));
        match provider {
            Provider::Env => self
                .environment
                .get(key)
                .map(str::to_owned)
                .ok_or_else(|| format!("the environment has no variable `{key}`")),
            Provider::File => {
                let text = read(Path::new(path))?;
                let pairs = java_properties::parse(&text)
                    .map_err(|_| format!("`{path}` is not a .properties file"))?;
                let pair = pairs.into_iter().rev().find(|(name, _)| name == key);
                pair.map(|(_, value)| value).ok_or_else(|| format!("`{path}` has no key `{key}`"))
            }
            Provider::Dir if key.is_empty() || key.contains(['/', '\\']) || key == ".." => {
                Err(format!("`{key}` is not the name of a file in `{path}`"))
            }
            Provider::Dir => read(&Path::new(path).join(key)),
        }
    }
}

/// Secrets are small; a path to a device or a log must not fill the memory.
const SECRET_FILE_BYTES_MAX: u64 = 1 << 20;

fn read(path: &Path) -> Result<String, String> {
    let shown = path.display();
    let facts = std::fs::metadata(path).map_err(|err| format!("cannot read `{shown}`: {err}"))?;
    if !facts.is_file() {
        return Err(format!("`{shown}` is not a file"));
    }
    if facts.len() > SECRET_FILE_BYTES_MAX {
        return Err(format!("`{shown}` is larger than {SECRET_FILE_BYTES_MAX} bytes"));
    }
    std::fs::read_to_string(path).map_err(|err| format!("cannot read `{shown}`: {err}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn environment() -> Environment {
        [("USER", "app"), ("PASS", "p${env:USER}"), ("EMPTY", "")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into_iter()
            .collect()
    }

    #[test]
    fn references_are_replaced_once_and_nothing_else_is_touched() {
        let environment = environment();
        let providers = Providers::new(&environment);
        let cases = [
            ("plain", "plain", false),
            ("${env:USER}", "app", true),
            ("${env::USER}", "app", true),
            ("a${env:USER}b${env:USER}c", "aappbappc", true),
            ("${env:PASS}", "p${env:USER}", true),
            ("${env:EMPTY}", "", true),
            ("outbox.event.${routedByValue}", "outbox.event.${routedByValue}", false),
            ("${vault:x:y}", "${vault:x:y}", false),
            ("${vault:x:${env:USER}}", "${vault:x:app}", true),
            ("${env:USER", "${env:USER", false),
            ("${${env:USER}", "${app", true),
            ("$", "$", false),
            ("${}", "${}", false),
        ];
        for (text, expected, found) in cases {
            assert_eq!(providers.resolve(text), Ok((expected.to_owned(), found)), "{text}");
        }
    }

    #[test]
    fn files_and_directories_give_their_secrets() {
        let folder = std::env::temp_dir().join(format!("outflow-secrets-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("db.properties"), "user=app\npass : s\\u0033cret\n").unwrap();
        std::fs::write(folder.join("pass"), "from-a-file").unwrap();
        let (environment, shown) = (environment(), folder.display());
        let providers = Providers::new(&environment);
        let resolved = |text: String| providers.resolve(&text).map(|(text, _)| text);
        assert_eq!(
            resolved(format!("${{file:{shown}/db.properties:pass}}")),
            Ok("s3cret".to_owned())
        );
        assert_eq!(resolved(format!("${{dir:{shown}:pass}}")), Ok("from-a-file".to_owned()));
        for (reference, reason) in [
            (format!("${{file:{shown}/db.properties:nope}}"), "has no key `nope`"),
            (format!("${{file:{shown}/missing:pass}}"), "cannot read"),
            (format!("${{file:{shown}:pass}}"), "is not a file"),
            (format!("${{dir:{shown}:../pass}}"), "is not the name of a file"),
            ("${env:NOPE}".to_owned(), "no variable `NOPE`"),
        ] {
            let failure = resolved(reference.clone()).unwrap_err();
            assert_eq!(failure.reference, reference);
            assert!(failure.reason.contains(reason), "{failure:?}");
            assert!(!failure.reason.contains("s3cret"));
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn names_that_hold_secrets_are_known() {
        for name in [
            "database.password",
            "producer.override.sasl.jaas.config",
            "ssl.keystore.key",
            "value.converter.basic.auth.credentials.source",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        assert!(!is_secret_name("database.user") && !is_secret_name("key.converter"));
    }

    #[test]
    fn a_secret_is_never_shown() {
        let environment = environment();
        assert_eq!(format!("{:?}", Secret::new("s".to_owned())), "***");
        assert_eq!(format!("{environment:?}"), r#"{"EMPTY", "PASS", "USER"}"#);
    }

    proptest! {
        #[test]
        fn any_text_is_resolved_or_refused(text in "[${}:env USERfiledir/é]{0,40}") {
            let environment = environment();
            let _outcome = Providers::new(&environment).resolve(&text);
        }

        #[test]
        fn text_without_a_dollar_stays(text in "[^$]{0,40}") {
            let environment = environment();
            let resolved = Providers::new(&environment).resolve(&text);
            prop_assert_eq!(resolved, Ok((text, false)));
        }
    }
}
