public import FoundationEssentials
public import ORM

extension JSONMapping {
  /// Sets the properties that a JSON object has, and keeps the rest.
  ///
  /// ```swift
  /// try JSONMapping(Snack.self).update(&snack, from: #"{"price": 3, "taste": null}"#)
  /// ```
  ///
  /// Absent members leave the object as it is, properties that are not stored included, and null
  /// sets nil, unless a field says otherwise. A model that is a class is changed in place.
  ///
  /// - Throws: `invalidImport`; the object is then as it was. `invalidMapping`.
  public func update(_ model: inout Model, from text: String, at path: String = "") throws {
    try text.withBytes { try update(&model, in: $0, at: path, isText: true) }
  }

  /// Sets the properties that a JSON object in UTF-8 has, and keeps the rest.
  public func update(_ model: inout Model, from data: Data, at path: String = "") throws {
    guard let text = String(validating: data, as: UTF8.self) else {
      throw StoreError(
        .invalidImport, "the text is not UTF-8", entity: Model.entity.written.name,
        rule: ImportFault.syntax.rawValue)
    }
    try update(&model, from: text, at: path)
  }

  /// Sets the properties that a JSON value has, and keeps the rest.
  public func update(_ model: inout Model, from json: JSONValue, at path: String = "") throws {
    try json.text.withBytes { try update(&model, in: $0, at: path, isText: false) }
  }

  private func update(
    _ model: inout Model, in bytes: UnsafeRawBufferPointer, at path: String, isText: Bool
  ) throws {
    let plan = try plan
    let reader = ObjectReader(plan, JSONReading(plan.targets, isText: isText))
    var updated: Model?
    var count = 0
    try reader.forEachRecord(in: bytes, at: path) { scanner, depth, name in
      count += 1
      updated = try reader.update(model, &scanner, depth: depth, name: name)
    }
    guard count == 1 else {
      throw StoreError(
        .invalidImport, "one record was expected, and there are \(count)", entity: plan.entity,
        rule: ImportFault.records.rawValue)
    }
    guard let updated else { return }
    try reader.copyGiven(from: updated, to: &model)
  }
}
