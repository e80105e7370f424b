//! The Parquet form, by the crate's column writers: Arrow would cost more to build than all of tare.

use super::COLUMNS;
use anyhow::Result;
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};
use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;
use tare_store::{Campaign, Sample};

/// Rows of a row group: what is held in memory at once.
const GROUP: usize = 1 << 17;

/// Writes every sample, and the plan as metadata of the file (`tare.plan`, JSON).
pub(super) fn write(campaign: &Campaign, out: impl Write + Send) -> Result<()> {
    let plan = serde_json::to_string(&campaign.plan)?;
    let metadata = vec![
        KeyValue::new("tare.plan".into(), plan),
        KeyValue::new("tare.state".into(), campaign.state.clone()),
    ];
    let properties = WriterProperties::builder()
        .set_created_by(format!("tare {}", env!("CARGO_PKG_VERSION")))
        .set_key_value_metadata(Some(metadata))
        .build();
    let mut file = SerializedFileWriter::new(out, schema()?, Arc::new(properties))?;
    let mut samples = campaign.samples();
    let mut names = Names::default();
    loop {
        let rows: Vec<Sample> = samples.by_ref().take(GROUP).collect();
        if rows.is_empty() {
            break;
        }
        let mut group = file.next_row_group()?;
        columns(&mut group, &rows, &mut names)?;
        group.close()?;
    }
    file.close()?;
    Ok(())
}

/// The columns of [`COLUMNS`], none of them ever empty.
fn schema() -> Result<TypePtr> {
    use Physical::{BYTE_ARRAY as TEXT, DOUBLE, INT32, INT64};
    let types = [INT32, INT32, TEXT, TEXT, TEXT, TEXT, INT64, DOUBLE];
    let fields = COLUMNS.iter().zip(types).map(|(name, kind)| {
        let text = (kind == TEXT).then_some(LogicalType::String);
        let field = Type::primitive_type_builder(name, kind)
            .with_repetition(Repetition::REQUIRED)
            .with_logical_type(text);
        Ok(Arc::new(field.build()?))
    });
    let fields: Vec<TypePtr> = fields.collect::<Result<_>>()?;
    Ok(Arc::new(Type::group_type_builder("sample").with_fields(fields).build()?))
}

/// One row group, column by column, in the order of [`COLUMNS`].
fn columns<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    rows: &[Sample],
    names: &mut Names,
) -> Result<()> {
    column::<Int32Type, _>(group, rows, |s| s.block as i32)?;
    column::<Int32Type, _>(group, rows, |s| s.slot as i32)?;
    column::<ByteArrayType, _>(group, rows, |s| names.shared(s.role.name()))?;
    column::<ByteArrayType, _>(group, rows, |s| names.shared(s.layer))?;
    column::<ByteArrayType, _>(group, rows, |s| names.shared(s.benchmark))?;
    column::<ByteArrayType, _>(group, rows, |s| names.shared(s.unit.name()))?;
    column::<Int64Type, _>(group, rows, |s| s.n.into())?;
    column::<DoubleType, _>(group, rows, |s| s.value)
}

fn column<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    rows: &[Sample],
    value: impl FnMut(&Sample) -> T::T,
) -> Result<()> {
    let values: Vec<T::T> = rows.iter().map(value).collect();
    if let Some(mut column) = group.next_column()? {
        column.typed::<T>().write_batch(&values, None, None)?;
        column.close()?;
    }
    Ok(())
}

/// Texts that come again and again, each held once.
#[derive(Default)]
struct Names(HashMap<String, ByteArray>);

impl Names {
    fn shared(&mut self, text: &str) -> ByteArray {
        if let Some(known) = self.0.get(text) {
            return known.clone();
        }
        let new = ByteArray::from(text);
        self.0.insert(text.to_owned(), new.clone());
        new
    }
}
