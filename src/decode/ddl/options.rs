use sqlparser::tokenizer::Token;

use super::server::Charset;
use super::tokens::Tokens;

/// Options of a table with one value that change no column.
const WITH_VALUE: [&str; 24] = [
    "ALGORITHM",
    "AUTOEXTEND_SIZE",
    "AUTO_INCREMENT",
    "AVG_ROW_LENGTH",
    "CHECKSUM",
    "COMMENT",
    "COMPRESSION",
    "CONNECTION",
    "DELAY_KEY_WRITE",
    "ENCRYPTION",
    "ENGINE",
    "ENGINE_ATTRIBUTE",
    "INSERT_METHOD",
    "KEY_BLOCK_SIZE",
    "LOCK",
    "MAX_ROWS",
    "MIN_ROWS",
    "PACK_KEYS",
    "ROW_FORMAT",
    "SECONDARY_ENGINE_ATTRIBUTE",
    "STATS_AUTO_RECALC",
    "STATS_PERSISTENT",
    "STATS_SAMPLE_PAGES",
    "TABLESPACE",
];

/// Reads an option of a table at the front of `tokens`; whether there was one.
pub(super) fn option(tokens: &mut Tokens, charset: &mut Charset) -> Option<bool> {
    let behind_default = tokens.words("DEFAULT");
    if tokens.words("CHARACTER SET") || tokens.words("CHARSET") {
        tokens.token(&Token::Eq);
        put(&mut charset.character_set, tokens.charset()?)?;
    } else if tokens.words("COLLATE") {
        tokens.token(&Token::Eq);
        put(&mut charset.collation, tokens.charset()?)?;
    } else if behind_default {
        return None;
    } else if tokens.one_of(&WITH_VALUE).is_some()
        || tokens.words("DATA DIRECTORY")
        || tokens.words("INDEX DIRECTORY")
    {
        tokens.token(&Token::Eq);
        tokens.take().filter(|value| *value != Token::Comma)?;
    } else {
        return Some(false);
    }
    Some(true)
}

/// Takes a word that must not contradict an earlier one.
fn put(slot: &mut Option<String>, word: String) -> Option<()> {
    let agrees = slot.as_ref().is_none_or(|other| other.eq_ignore_ascii_case(&word));
    *slot = Some(word);
    agrees.then_some(())
}
