internal import ORM

extension CellReader {
  /// Adds a fault of an attribute's value.
  func addFault(_ offset: Int, _ message: String, _ column: Int) {
    reading.faults.add(
      JSONFault(
        offset: offset, message: message, entity: record.entity,
        attribute: record.columns[column].name)
    )
  }

  /// Adds the fault of a value of another kind than expected, at the scanner's position.
  func addUnexpected(_ column: Int, _ scanner: JSONScanner) {
    let expected = record.columns[column]
    addFault(
      scanner.position, "expected \(expected.expected), found \(scanner.found(for: expected.type))",
      column)
  }

  /// Adds the faults of attributes for which null came, and no value.
  func addRefusedNulls() {
    for position in refusedNulls where cells[position].isGiven && cells[position].kind == .null {
      let expected = record.columns[position].expected
      addFault(cells[position].start, "expected \(expected), found null", position)
      cells[position].kind = .refused
    }
  }

  /// Adds the fault of an attribute that needs a value and has none.
  func addMissing(_ position: Int, _ start: Int, _ found: String = "nothing") {
    let column = record.columns[position]
    cells[position].kind = .refused
    let path = column.source.map { JSONKeyPath.text(of: $0) } ?? ""
    let message =
      column.source == nil
      ? "the mapping does not read the attribute, which needs a value; give it a default"
      : "expected \(column.expected), found \(found)"
    reading.faults.add(
      JSONFault(
        offset: start, path: path, message: message, kind: .missing, entity: record.entity,
        attribute: column.name))
  }
}

extension CellReader {
  /// Returns whether the record at a scanner's position is of the kind that the mapping is for; one that
  /// is to be refused is a fault.
  func isOf(_ kind: KindRule, _ record: JSONScanner, _ start: Int) -> Bool {
    guard let path = JSONKeyPath.steps(of: kind.member) else { return true }
    var scanner = record
    if ValueReading.enter(path[...], &scanner), let text = ValueReading.text(&scanner),
      kind.kinds.containsScalars(of: text)
    {
      return true
    }
    switch kind.otherwise {
    case .keep: return true
    case .skip: return false
    case .refuse:
      let words = kind.kinds.joined(separator: " or ")
      reading.faults.add(
        JSONFault(
          offset: start, path: kind.member, message: "expected the kind \(words)",
          entity: self.record.entity))
      return false
    }
  }
}
