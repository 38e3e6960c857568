use std::collections::HashMap;
use std::path::Path;

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA256, digest};
use std::sync::Arc;

use super::AdminError;

/// Who may ask, by basic authentication: the names, and digests of the passwords.
#[derive(Debug)]
pub(super) struct Users(HashMap<String, Vec<u8>>);

impl Users {
    /// Reads lines of `user=password`, the form of Connect's own property file logins.
    pub(super) fn read(path: &Path) -> Result<Self, AdminError> {
        let problem = |problem: &str| AdminError::Users {
            path: path.to_owned(),
            problem: problem.to_owned(),
        };
        let text = std::fs::read_to_string(path).map_err(|err| problem(&err.to_string()))?;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let mut users = HashMap::new();
        for line in lines.filter(|line| !line.starts_with('#')) {
            let (user, password) =
                line.split_once('=').ok_or_else(|| problem("a line is not user=password"))?;
            let (user, password) = (user.trim(), password.trim());
            if user.is_empty() || password.is_empty() {
                return Err(problem("a line lacks the user or the password"));
            }
            if users.insert(user.to_owned(), hashed(password)).is_some() {
                return Err(problem(&format!("{user:?} stands twice")));
            }
        }
        if users.is_empty() { Err(problem("it names no user")) } else { Ok(Self(users)) }
    }

    /// Whether a request's `Authorization` is one of theirs.
    fn admit(&self, authorization: Option<&str>) -> bool {
        let Some((scheme, credentials)) = authorization.and_then(|text| text.split_once(' '))
        else {
            return false;
        };
        let decoded = STANDARD.decode(credentials.trim()).ok();
        let text = decoded.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
        let Some((user, password)) = text.split_once(':') else { return false };
        // Digests are compared, so that the time tells nothing of the password.
        scheme.eq_ignore_ascii_case("basic")
            && self.0.get(user).is_some_and(|expected| *expected == hashed(password))
    }
}

fn hashed(password: &str) -> Vec<u8> {
    digest(&SHA256, password.as_bytes()).as_ref().to_vec()
}

/// Lets a request pass that names one of the users.
pub(super) async fn check(
    State(users): State<Arc<Users>>,
    request: Request,
    next: Next,
) -> Response {
    let authorization = request.headers().get(header::AUTHORIZATION);
    if users.admit(authorization.and_then(|value| value.to_str().ok())) {
        return next.run(request).await;
    }
    let ask = [(header::WWW_AUTHENTICATE, "Basic realm=\"outflow\"")];
    (StatusCode::UNAUTHORIZED, ask, "a user and password are needed\n").into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn users() -> Users {
        Users(HashMap::from([("ops".to_owned(), hashed("a:b=c"))]))
    }

    #[test]
    fn only_the_right_password_of_a_user_passes() {
        let basic = |text: &str| format!("Basic {}", STANDARD.encode(text));
        let users = users();
        assert!(users.admit(Some(&basic("ops:a:b=c"))));
        assert!(users.admit(Some(&basic("ops:a:b=c").replace("Basic", "basic"))));
        for wrong in ["ops:a:b", "ops:", "ops", "other:a:b=c", ":a:b=c", ""] {
            assert!(!users.admit(Some(&basic(wrong))), "{wrong}");
        }
        for wrong in ["Basic", "Basic %%%", "Bearer b3BzOmE6Yj1j", ""] {
            assert!(!users.admit(Some(wrong)), "{wrong}");
        }
        assert!(!users.admit(None));
    }
}
