internal import ORM

extension ObjectReader {
  /// Adds a fault of an attribute's value.
  func addFault(_ offset: Int, _ message: String, _ column: Int) {
    reading.faults.add(
      JSONFault(
        offset: offset, message: message, entity: plan.entity, attribute: plan.columns[column].name)
    )
  }

  /// Adds the fault of a value of another kind than expected, where the scanner stands.
  func addUnexpected(_ column: Int, _ scanner: JSONScanner) {
    addFault(
      scanner.position, "expected \(plan.columns[column].expected), found \(scanner.found)", column)
  }

  /// Adds the faults of attributes for which null came, and no value.
  func addRefusedNulls() {
    for position in refusedNulls where cells[position].isGiven && cells[position].kind == .null {
      let expected = plan.columns[position].expected
      addFault(cells[position].start, "expected \(expected), found null", position)
      cells[position].kind = .refused
    }
  }

  /// Adds the fault of an attribute that needs a value and has none.
  func addMissing(_ position: Int, _ start: Int, _ found: String = "nothing") {
    let column = plan.columns[position]
    cells[position].kind = .refused
    let path = column.source.map { JSONKeyPath.text(of: $0) } ?? ""
    let message =
      column.source == nil
      ? "the mapping does not read the attribute, which needs a value; give it a default"
      : "expected \(column.expected), found \(found)"
    reading.faults.add(
      JSONFault(
        offset: start, path: path, message: message, entity: plan.entity, attribute: column.name))
  }

  /// Adds the fault of a row of which the model could not be made.
  func addFault(of error: any Error, _ scanner: JSONScanner) {
    let error = StoreError.mapping(
      error, of: Model.self, row: row(scanner), entity: plan.entity, key: [],
      attributes: plan.columns.map(\.name))
    let column = plan.columns.firstIndex { $0.name == error.attributes.first }
    reading.faults.add(
      JSONFault(
        offset: column.map { cells[$0].valueStart } ?? scanner.position - 1,
        message: "the model refuses the value: \(error.message)", entity: plan.entity,
        attribute: error.attributes.first))
  }
}
