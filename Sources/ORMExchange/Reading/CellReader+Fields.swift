internal import ORM

/// The attributes that the fields of CSV are, where records need not be made JSON to be read.
final class FieldForm {
  /// A field.
  struct Field {
    /// The attribute; -1 for a field that is not read.
    var column = -1
    var rank: UInt8 = 0
    /// The reading of its value; `other` for a value that is first turned into JSON.
    var reading = ColumnPlan.Reading.other
    /// The meaning of the field when it is empty, without quotes and in them.
    var empty = CSVRecordText.EmptyValue.null
    var quotedEmpty = CSVRecordText.EmptyValue.null
  }

  let fields: [Field]
  /// The most bytes that the JSON of a record has beside those of its fields.
  let overhead: Int
  /// Memory for the JSON of one value.
  fileprivate var scratch: CSVRecordText

  fileprivate init(_ fields: [Field], _ text: CSVRecordText) {
    self.fields = fields
    overhead = text.overhead
    scratch = text
  }

  /// True if every one of some attributes has a field.
  func covers(_ columns: Int) -> Bool {
    Set(fields.map(\.column)).subtracting([-1]).count == columns
  }
}

extension CellReader {
  /// The form of records of CSV; nil where they are read as JSON: a field is a part of an object or
  /// several things, or a closure of the program reads it.
  func fieldForm(_ csv: CSVObjectForm) -> FieldForm? {
    let (text, root, limits) = (csv.text, record.root, reading.limits)
    guard root.presence == nil, limits.depth > 0, text.fields.count <= limits.members else {
      return nil
    }
    var fields: [FieldForm.Field] = []
    for (position, field) in text.fields.enumerated() {
      guard case .name(let name)? = field.path.first, field.path.count == 1,
        name.utf8.count <= limits.nameSize
      else { return nil }
      var form = FieldForm.Field()
      if let slot = ByteOrder.withBytes(of: name, { root.slot(named: $0) }) {
        guard root.slots[slot].action == .column else { return nil }
        (form.column, form.rank) = (root.slots[slot].index, root.slots[slot].rank)
        let column = record.columns[form.column]
        if column.format.isCustom { return nil }
        form.reading = column.reading
        let isNumber = form.reading == .integer || form.reading == .double
        if isNumber, text.format.hasDecimalComma { form.reading = .other }
        form.empty = text.emptyValue(of: position, isQuoted: false)
        form.quotedEmpty = text.emptyValue(of: position, isQuoted: true)
      } else if record.isStrict {
        return nil
      }
      fields.append(form)
    }
    return FieldForm(fields, text)
  }

  /// Reads the fields of a record of CSV into the cells, as its JSON is read.
  ///
  /// - Returns: false for a record that must be read as JSON: it has a fault, or a value in another
  ///   form than the usual one.
  func readFields(_ raw: RawRecord, _ form: FieldForm) -> Bool {
    // The most bytes of the JSON: six for each byte of a text.
    var size = form.overhead + 6 * raw.bytes.count
    beginCells()
    for (position, field) in form.fields.enumerated() where field.column >= 0 {
      let span = raw.spans[position]
      let bytes = span.bytes(in: raw.bytes)
      let isRead =
        span.count == 0
        ? readEmpty(field, span)
        : readField(field, bytes, span.start)
          || readOther(field, position, bytes, &form.scratch, &size)
      if !isRead { return false }
    }
    guard size <= reading.recordSize, refusedNulls.isEmpty else { return false }
    let faults = reading.faults.count
    finishCells(0)
    if reading.faults.count == faults { return true }
    reading.faults.removeAll(after: faults)
    return false
  }

  /// Reads a field in the usual form of its attribute; false for any other.
  @inline(__always)
  private func readField(
    _ field: FieldForm.Field, _ bytes: UnsafeRawBufferPointer, _ start: Int
  ) -> Bool {
    var scanner = JSONScanner(bytes)
    var cell = JSONCell(kind: .text, start: start)
    switch field.reading {
    case .string:
      guard let count = Int32(exactly: bytes.count) else { return false }
      cell.count = count
    case .integer:
      guard let token = scanner.number(), scanner.isAtEnd, let value = scanner.int64(of: token),
        record.columns[field.column].range.contains(value)
      else { return false }
      (cell.kind, cell.bits) = (.integer, UInt64(bitPattern: value))
    case .double:
      guard bytes.count <= 15, let token = scanner.number(), scanner.isAtEnd else { return false }
      let value = scanner.double(of: token)
      guard value.isFinite else { return false }
      (cell.kind, cell.bits) = (.double, value.bitPattern)
    case .bool:
      let isTrue = scanner.next == UInt8(ascii: "t")
      guard scanner.skip(word: isTrue ? "true" : "false"), scanner.isAtEnd else { return false }
      (cell.kind, cell.bits) = (.bool, isTrue ? 1 : 0)
    case .other: return false
    }
    set(field.column, rank: field.rank, to: cell)
    return true
  }

  @inline(__always)
  private func readEmpty(_ field: FieldForm.Field, _ span: CSVSpan) -> Bool {
    switch span.isQuoted ? field.quotedEmpty : field.empty {
    case .absent: break
    case .null: setNull(field.column, field.rank, 0)
    case .text:
      guard field.reading == .string else { return false }
      set(field.column, rank: field.rank, to: JSONCell(kind: .text, start: span.start))
    }
    return true
  }

  /// Reads a field by the JSON of its value.
  @inline(never)
  private func readOther(
    _ field: FieldForm.Field, _ position: Int, _ bytes: UnsafeRawBufferPointer,
    _ scratch: inout CSVRecordText, _ size: inout Int
  ) -> Bool {
    guard (try? scratch.writeValue(of: position, bytes)) != nil else { return false }
    size += scratch.utf8.count
    return scratch.utf8.withUnsafeBytes { json in
      var checked = JSONScanner(json)
      guard checked.skipChecked(reading.limits, depth: 1) == nil, checked.isAtEnd else {
        return false
      }
      var scanner = JSONScanner(json)
      // Null may come of a text of JSON.
      guard scanner.next != UInt8(ascii: "n"),
        let value = try? record.columns[field.column].value(&scanner)
      else { return false }
      set(field.column, rank: field.rank, to: cell(of: value))
      return true
    }
  }
}

extension FieldFormat {
  /// True if a closure of the program reads the value.
  fileprivate var isCustom: Bool {
    switch self {
    case .custom: true
    case .member(_, let format): format.isCustom
    default: false
    }
  }
}
