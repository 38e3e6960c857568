use bumpalo::Bump;

use super::ValueError;
use super::reader::Reader;
use crate::connect::Value;

/// An empty geometry collection as well-known binary.
pub(super) const EMPTY: &[u8] = &[1, 7, 0, 0, 0, 0, 0, 0, 0];

/// MySQL's geometry, four bytes of SRID before well-known binary, as the fields of Debezium's `Geometry`.
pub(super) fn geometry<'a>(bytes: &'a [u8], arena: &'a Bump) -> Result<Value<'a>, ValueError> {
    let (srid, wkb) = split(bytes)?;
    Ok(Value::Struct(arena.alloc_slice_copy(&[Value::Bytes(wkb), srid])))
}

/// The same for Debezium's `Point`, whose coordinates are fields of their own.
pub(super) fn point<'a>(bytes: &'a [u8], arena: &'a Bump) -> Result<Value<'a>, ValueError> {
    let (srid, wkb) = split(bytes)?;
    let (x, y) =
        coordinates(wkb).map_err(|_| ValueError::OutOfRange("a POINT without coordinates"))?;
    let fields = [Value::Float64(x), Value::Float64(y), Value::Bytes(wkb), srid];
    Ok(Value::Struct(arena.alloc_slice_copy(&fields)))
}

fn split(bytes: &[u8]) -> Result<(Value<'_>, &[u8]), ValueError> {
    let mut reader = Reader::new(bytes);
    let srid = match reader.u32()? {
        0 => Value::Null,
        srid => Value::Int32(srid.cast_signed()),
    };
    Ok((srid, reader.rest()))
}

/// A byte order, the type's number, two doubles.
fn coordinates(wkb: &[u8]) -> Result<(f64, f64), ValueError> {
    let mut reader = Reader::new(wkb);
    let little = reader.u8()? == 1;
    let kind = reader.u32()?;
    if (if little { kind } else { kind.swap_bytes() }) != 1 {
        return Err(ValueError::Malformed("POINT"));
    }
    let mut double = || {
        let bytes = *reader.take(8)?.first_chunk().ok_or(ValueError::Truncated)?;
        Ok(if little { f64::from_le_bytes(bytes) } else { f64::from_be_bytes(bytes) })
    };
    Ok((double()?, double()?))
}

/// A VECTOR: little-endian floats.
pub(super) fn vector<'a>(bytes: &[u8], arena: &'a Bump) -> Result<Value<'a>, ValueError> {
    let (floats, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(ValueError::Truncated);
    }
    let floats = floats.iter().map(|bytes| Value::Float32(f32::from_le_bytes(*bytes)));
    Ok(Value::Array(arena.alloc_slice_fill_iter(floats)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_has_its_coordinates_beside_its_bytes() {
        let arena = Bump::new();
        let mut bytes = vec![0xE6, 0x10, 0, 0, 1, 1, 0, 0, 0];
        bytes.extend(1.5_f64.to_le_bytes());
        bytes.extend((-2.0_f64).to_le_bytes());
        let expected = [
            Value::Float64(1.5),
            Value::Float64(-2.0),
            Value::Bytes(&bytes[4..]),
            Value::Int32(4326),
        ];
        assert_eq!(point(&bytes, &arena), Ok(Value::Struct(&expected)));
        assert_eq!(
            geometry(&bytes, &arena),
            Ok(Value::Struct(&[Value::Bytes(&bytes[4..]), Value::Int32(4326)]))
        );
        assert!(point(&bytes[..20], &arena).is_err());
    }

    #[test]
    fn a_vector_is_an_array_of_floats() {
        let arena = Bump::new();
        let bytes = [0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0];
        let expected = [Value::Float32(1.0), Value::Float32(-2.0)];
        assert_eq!(vector(&bytes, &arena), Ok(Value::Array(&expected)));
        assert_eq!(vector(&bytes[..3], &arena), Err(ValueError::Truncated));
    }
}
