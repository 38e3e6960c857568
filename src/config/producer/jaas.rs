//! `sasl.*`: how the producer logs in.

use std::collections::BTreeMap;

use super::{Problems, Settings};
use crate::config::section::Entry;
use crate::config::{Problem, Secret};

const MECHANISMS: [&str; 3] = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"];

/// The mechanism, and the user and password of `sasl.jaas.config` or of librdkafka's own two properties. `needed`: the
/// protocol is one with a login.
pub(super) fn log_in(
    login: &BTreeMap<String, Entry>,
    needed: bool,
    settings: &mut Settings,
    problems: &mut Problems,
) {
    let mut set = |name: &str, value: String| settings.push((name.to_owned(), Secret::new(value)));
    let mechanism = login.get("sasl.mechanism").or_else(|| login.get("sasl.mechanisms"));
    if let Some(entry) = mechanism {
        let name = entry.value.trim().to_ascii_uppercase();
        if MECHANISMS.contains(&name.as_str()) {
            set("sasl.mechanisms", name);
        } else {
            problems.push(entry.refused(
                "outflow cannot log in to Kafka this way",
                format!("use one of {}", MECHANISMS.join(", ")),
            ));
        }
    }
    for name in ["sasl.username", "sasl.password"] {
        if let Some(entry) = login.get(name) {
            set(name, entry.value.clone());
        }
    }
    let Some(entry) = login.get("sasl.jaas.config") else {
        let lacks = needed && problems.is_empty() && !login.contains_key("sasl.username");
        if let Some(entry) = mechanism.filter(|_| lacks) {
            let name = entry.written.replace(&entry.key, "sasl.jaas.config");
            problems.push(Problem::Missing {
                property: name,
                cure: "write `<login module> required username=\"…\" password=\"…\";`".to_owned(),
            });
        }
        return;
    };
    match parse(&entry.value) {
        Ok(jaas) => {
            let mechanism = mechanism.map(|entry| entry.value.trim());
            if let Some(problem) = mismatch(entry, &jaas, mechanism) {
                problems.push(problem);
            }
            if mechanism.is_none() {
                problems.push(Problem::Missing {
                    property: entry.written.replace("sasl.jaas.config", "sasl.mechanism"),
                    cure: format!("write one of {}", MECHANISMS.join(", ")),
                });
            }
            for (name, option) in [("sasl.username", "username"), ("sasl.password", "password")] {
                match jaas.options.get(option) {
                    Some(value) => set(name, value.clone()),
                    None => problems.push(entry.invalid(
                        format!("has no option {option}"),
                        "write PlainLoginModule or ScramLoginModule with username=\"…\" password=\"…\";",
                    )),
                }
            }
        }
        Err(reason) => problems.push(
            entry.invalid(reason, "write `<login module> required username=\"…\" password=\"…\";`"),
        ),
    }
}

fn mismatch(entry: &Entry, jaas: &Jaas, mechanism: Option<&str>) -> Option<Problem> {
    let module = jaas.module.rsplit('.').next().unwrap_or_default();
    let fits = match module {
        "PlainLoginModule" => mechanism.is_none_or(|m| m.eq_ignore_ascii_case("PLAIN")),
        "ScramLoginModule" => {
            mechanism.is_none_or(|m| m.to_ascii_uppercase().starts_with("SCRAM-"))
        }
        _ => {
            return Some(entry.refused(
                format!("outflow does not know the login module {module}"),
                "use PlainLoginModule or ScramLoginModule",
            ));
        }
    };
    (!fits).then(|| {
        entry.invalid(
            format!("names {module}, which does not belong to the mechanism"),
            "make `sasl.mechanism` and the login module agree",
        )
    })
}

struct Jaas {
    module: String,
    options: BTreeMap<String, String>,
}

/// `module flag key=value… ;` with values bare or in quotation marks. Never says what it read.
fn parse(text: &str) -> Result<Jaas, String> {
    let mut tokens = Tokens { rest: text.chars().peekable() };
    let module = tokens.word().ok_or("names no login module")?;
    let flag = tokens.word().ok_or("has no control flag behind the login module")?;
    if !["required", "requisite", "sufficient", "optional"]
        .contains(&flag.to_ascii_lowercase().as_str())
    {
        return Err("has no control flag behind the login module".to_owned());
    }
    let mut options = BTreeMap::new();
    loop {
        if tokens.take(';') {
            break;
        }
        let Some(name) = tokens.word() else {
            return Err("does not end in a semicolon".to_owned());
        };
        if !tokens.take('=') {
            return Err("has an option without a value".to_owned());
        }
        let value = tokens.word().ok_or("has an option without a value")?;
        options.insert(name, value);
    }
    if tokens.blank().is_some() {
        return Err("has text behind its semicolon".to_owned());
    }
    Ok(Jaas { module, options })
}

struct Tokens<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
}

impl Tokens<'_> {
    /// The next character that is no white space, still to be read.
    fn blank(&mut self) -> Option<char> {
        while self.rest.next_if(|character| character.is_whitespace()).is_some() {}
        self.rest.peek().copied()
    }

    fn take(&mut self, character: char) -> bool {
        self.blank() == Some(character) && self.rest.next().is_some()
    }

    /// A bare word, or a text in quotation marks with escapes; `None` where neither stands.
    fn word(&mut self) -> Option<String> {
        let quote = match self.blank()? {
            quote @ ('"' | '\'') => quote,
            ';' | '=' => return None,
            _ => {
                let is_bare = |c: &char| !c.is_whitespace() && !";=\"'".contains(*c);
                let mut word = String::new();
                while let Some(character) = self.rest.next_if(is_bare) {
                    word.push(character);
                }
                return Some(word);
            }
        };
        self.rest.next();
        let mut word = String::new();
        loop {
            match self.rest.next()? {
                '\\' => word.push(match self.rest.next()? {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    other => other,
                }),
                character if character == quote => return Some(word),
                character => word.push(character),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn user_and_password_are_found() {
        let cases = [
            ("a.PlainLoginModule required username=\"u\" password=\"p\";", "u", "p"),
            ("M required\n  username='u'\n  password=\"p\\\"; x=\\\\\" ;\n", "u", "p\"; x=\\"),
            ("M REQUIRED username=u password=p;", "u", "p"),
            ("M required username = \"u\" password = \"\" serviceName=\"k\";", "u", ""),
        ];
        for (text, user, password) in cases {
            let jaas = parse(text).unwrap();
            assert_eq!((&*jaas.options["username"], &*jaas.options["password"]), (user, password));
        }
    }

    #[test]
    fn broken_texts_are_refused_without_being_shown() {
        for text in [
            "",
            "M",
            "M username=\"u\";",
            "M required username=\"hunter2\"",
            "M required username=\"hunter2",
            "M required username;",
            "M required username=;",
            "M required username=\"hunter2\"; x",
        ] {
            let Err(reason) = parse(text) else { panic!("{text}") };
            assert!(!reason.contains("hunter2"));
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[a ='\";\\\\required\n]{0,40}") {
            let _outcome = parse(&text);
        }
    }
}
