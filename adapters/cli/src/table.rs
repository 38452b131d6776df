//! A table on a terminal.

use crate::style::Style;

/// Rows under a heading, their columns aligned.
pub(crate) fn lines(style: Style, heading: &[&str], rows: &[Vec<String>]) -> Vec<String> {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let widest = cells.map(|cell| cell.chars().count()).max().unwrap_or(0);
        widest.max(heading.get(column).map_or(0, |title| title.chars().count()))
    };
    let widths: Vec<usize> = (0..heading.len()).map(width).collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let cells = cells.zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let mut lines = vec![style.dim(line(&mut heading.iter().copied())).to_string()];
    lines.extend(rows.iter().map(|row| line(&mut row.iter().map(String::as_str))));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [vec!["a".to_owned(), "é".to_owned()], vec!["long".to_owned(), "b".to_owned()]];
        let lines = lines(Style::plain(), &["x", "why"], &rows);
        assert_eq!(lines, ["x     why", "a     é", "long  b"]);
    }
}
