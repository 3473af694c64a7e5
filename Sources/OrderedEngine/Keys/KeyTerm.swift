internal import ORMStorage

/// One part of a key: which field, and how its bytes are made so that they order as its values.
///
/// Numbers have 8 bytes, greatest first: signed ones with the sign bit turned, doubles and dates with all
/// bits turned when negative and the sign bit otherwise, `-0.0` as `0.0`. A bool has one byte, a UUID its
/// 16. Texts, data and JSON have a 0 byte as `00 FF` and end with `00 01`, which orders right in both
/// directions and separates later parts. Optional parts begin with 0 for null and 1 for a value.
/// Descending parts have every bit turned.
struct KeyTerm {
  /// The field in the record.
  let field: RecordField
  /// The kind of the bytes: the field's, or that of its elements.
  let encoding: RecordField.Encoding
  /// The form of the field that the key holds.
  let form: StoredIndex.Form
  /// True if greater values come first.
  let isDescending: Bool
  /// True if a byte distinguishes null from a value.
  let isTagged: Bool

  static let nullTag: UInt8 = 0
  static let valueTag: UInt8 = 1

  init(
    _ field: RecordField, of column: StoredColumn, form: StoredIndex.Form = .value,
    isDescending: Bool = false
  ) {
    self.field = field
    self.form = form
    self.isDescending = isDescending
    if form == .elements, case .array(let element) = column.type {
      encoding = RecordField.Encoding(element)
      isTagged = true
    } else {
      encoding = field.encoding
      isTagged = column.isOptional
    }
  }

  private init(_ other: KeyTerm, isDescending: Bool) {
    field = other.field
    encoding = other.encoding
    form = other.form
    isTagged = other.isTagged
    self.isDescending = isDescending
  }

  /// The same part in the given direction.
  func directed(descending: Bool) -> KeyTerm { KeyTerm(self, isDescending: descending) }

  /// The number of bytes the part always has; nil when that depends on the value.
  var width: Int? { isTagged ? nil : valueWidth }

  /// The number of bytes a value has without the tag; nil when that depends on the value.
  var valueWidth: Int? {
    switch encoding {
    case .bool: 1
    case .uuid: 16
    case .string, .data, .decimal, .array, .json: nil
    default: 8
    }
  }
}

/// The parts of a key, in order.
struct KeyShape {
  /// The parts.
  let terms: [KeyTerm]
  /// The number of bytes every key has; nil when they differ.
  let width: Int?
  /// The number of bytes a key has at most; nil when there is no limit.
  let maximumWidth: Int?

  init(_ terms: [KeyTerm]) {
    self.terms = terms
    width = terms.reduce(0) { sum, term in sum.flatMap { sum in term.width.map { sum + $0 } } }
    maximumWidth = terms.reduce(0) { sum, term in
      sum.flatMap { sum in term.valueWidth.map { sum + $0 + (term.isTagged ? 1 : 0) } }
    }
  }

  /// The primary key of an entity.
  init(primaryKeyOf layout: RecordLayout) {
    self.init(
      layout.entity.key.map { KeyTerm(layout.fields[$0], of: layout.entity.columns[$0]) })
  }

  /// True if a key is one plain integer.
  var isInteger: Bool {
    terms.count == 1 && terms[0].encoding.isInteger && !terms[0].isTagged
  }
}
