use super::alter::{Change, Clauses, Place};
use super::column::{convert, set_default, set_invisible};
use super::server::{Server, Session};
use crate::decode::{ColumnLayout, TableLayout};

/// A column on its way into the altered table.
#[derive(Clone)]
struct Column {
    /// What it was called before; a new one has its own name.
    before: String,
    layout: ColumnLayout,
}

/// Columns in the order in which the server lays them out anew.
struct Columns(Vec<Column>);

impl Columns {
    /// Puts a column where it belongs among those that are laid out already.
    fn put(&mut self, column: Column, place: &Place) -> Option<()> {
        let at = match place {
            Place::Unsaid => self.0.len(),
            Place::First => 0,
            Place::After(name) => {
                1 + self.0.iter().position(|other| is_same(&other.layout.name, name))?
            }
        };
        self.0.insert(at, column);
        Some(())
    }

    fn find(&mut self, name: &str) -> Option<&mut ColumnLayout> {
        let column = self.0.iter_mut().find(|column| is_same(&column.before, name))?;
        Some(&mut column.layout)
    }
}

impl Change {
    fn defines_a_column(&self) -> bool {
        matches!(self, Self::Add(..) | Self::Modify(..))
    }
}

/// Whether two names are one column's.
pub(super) fn is_same(a: &str, b: &str) -> bool {
    a == b || a.to_lowercase() == b.to_lowercase()
}

impl Clauses {
    /// The table behind the statement, still by its old name.
    pub(super) fn applied(
        &self,
        table: &TableLayout,
        session: &Session,
        server: &Server,
    ) -> Option<TableLayout> {
        let mut altered = table.clone();
        if !self.charset.is_empty() {
            altered.collation = Some(server.chosen(&self.charset, session)?.name.clone());
        }
        let convert_to = self.conversion(session, server)?;
        if let Some((_, collation)) = &convert_to {
            // New columns and other defaults beside it are of types that are hard to tell.
            let others = self.changes.iter().any(Change::defines_a_column);
            if others || !self.charset.is_empty() {
                return None;
            }
            altered.collation = Some(collation.clone());
        }
        let collation = altered.collation.as_deref();
        let mut columns = self.kept(table, collation, session, server)?;
        self.added(&mut columns, collation, session, server)?;
        self.set(&mut columns)?;
        if let Some((set, collation)) = &convert_to {
            for column in &mut columns.0 {
                convert(&mut column.layout, (set, collation))?;
            }
        }
        let key = self.key(table, &columns)?;
        altered.columns = columns.0.into_iter().map(|column| column.layout).collect();
        let mut names: Vec<String> =
            altered.columns.iter().map(|column| column.name.to_lowercase()).collect();
        names.sort_unstable();
        names.dedup();
        (names.len() == altered.columns.len() && !names.is_empty()).then_some(())?;
        altered.set_primary_key(&key)?;
        Some(altered)
    }

    /// The character set and collation that all text gets, if any.
    fn conversion(&self, session: &Session, server: &Server) -> Option<Option<(String, String)>> {
        let mut found = None;
        for change in &self.changes {
            if let Change::Convert(charset) = change {
                let chosen = server.chosen(charset, session)?;
                found.is_none().then_some(())?;
                found = Some((chosen.character_set.clone(), chosen.name.clone()));
            }
        }
        Some(found)
    }

    /// The table's own columns but those that are dropped or moved.
    fn kept(
        &self,
        table: &TableLayout,
        collation: Option<&str>,
        session: &Session,
        server: &Server,
    ) -> Option<Columns> {
        let mut columns = Columns(Vec::new());
        for layout in &table.columns {
            let mut kept = Some(Column { before: layout.name.clone(), layout: layout.clone() });
            for change in &self.changes {
                match change {
                    Change::Drop(name) if is_same(name, &layout.name) => kept = None,
                    Change::Modify(name, definition, place) if is_same(name, &layout.name) => {
                        kept = kept.filter(|_| *place == Place::Unsaid);
                        if let Some(column) = &mut kept {
                            column.layout = definition.layout(collation, session, server)?;
                        }
                    }
                    Change::Rename(name, new) if is_same(name, &layout.name) => {
                        kept.as_mut()?.layout.name.clone_from(new);
                    }
                    _ => {}
                }
            }
            columns.0.extend(kept);
        }
        self.names_exist(table).then_some(columns)
    }

    /// Whether each column that a clause names is there.
    fn names_exist(&self, table: &TableLayout) -> bool {
        let exists = |name: &str| table.columns.iter().any(|column| is_same(&column.name, name));
        let mut seen: Vec<String> = Vec::new();
        self.changes.iter().all(|change| match change {
            Change::Drop(name) | Change::Modify(name, ..) | Change::Rename(name, _) => {
                let lower = name.to_lowercase();
                let twice = seen.contains(&lower);
                seen.push(lower);
                exists(name) && !twice
            }
            _ => true,
        })
    }

    /// Then new columns and those that move, in the order of the clauses.
    fn added(
        &self,
        columns: &mut Columns,
        collation: Option<&str>,
        session: &Session,
        server: &Server,
    ) -> Option<()> {
        for change in &self.changes {
            let (before, definition, place) = match change {
                Change::Add(definition, place) => (&definition.name, definition, place),
                Change::Modify(old, definition, place) if *place != Place::Unsaid => {
                    (old, definition, place)
                }
                _ => continue,
            };
            let layout = definition.layout(collation, session, server)?;
            columns.put(Column { before: before.clone(), layout }, place)?;
        }
        Some(())
    }

    fn set(&self, columns: &mut Columns) -> Option<()> {
        for change in &self.changes {
            match change {
                Change::SetDefault(name, default) => {
                    set_default(columns.find(name)?, default.as_ref())?;
                }
                Change::SetInvisible(name, invisible) => {
                    set_invisible(columns.find(name)?, *invisible)?;
                }
                _ => {}
            }
        }
        Some(())
    }

    /// The primary key's columns by their new names.
    fn key(&self, table: &TableLayout, columns: &Columns) -> Option<Vec<String>> {
        let dropped = self.changes.contains(&Change::DropKey);
        let mut key = Vec::new();
        for &index in table.primary_key.iter().filter(|_| !dropped) {
            let name = &table.columns.get(index)?.name;
            let kept = columns.0.iter().find(|column| is_same(&column.before, name));
            key.extend(kept.map(|column| column.layout.name.clone()));
        }
        for change in &self.changes {
            if let Change::AddKey(names) = change {
                key.is_empty().then_some(())?;
                key.clone_from(names);
            }
        }
        Some(key)
    }
}

impl TableLayout {
    /// Makes these columns the primary key, which makes them NOT NULL.
    pub(super) fn set_primary_key(&mut self, names: &[String]) -> Option<()> {
        self.primary_key.clear();
        for name in names {
            let index = self.columns.iter().position(|column| is_same(&column.name, name))?;
            self.columns.get_mut(index)?.nullable = false;
            self.primary_key.push(index);
        }
        Some(())
    }
}
