internal import ORM

extension ObjectReader {
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
