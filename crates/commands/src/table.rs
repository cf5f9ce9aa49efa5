//! Tables for people.

use comfy_table::{CellAlignment, LineStyle, Table, TableStyle};

/// Columns apart by blanks, one rule below the header: aligned, and easy to copy from.
const STYLE: TableStyle =
    TableStyle::new().header_separator(LineStyle::none().fill('-').junction('-'));

/// A table whose columns stand at the right, but for the ones named.
pub fn render(header: &[&str], left: &[usize], rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(STYLE);
    table.set_header(header.to_vec());
    for row in rows {
        table.add_row(row);
    }
    for (place, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 1));
        if !left.contains(&place) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt() + "\n"
}
