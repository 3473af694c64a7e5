public import FoundationEssentials
public import ORM

extension JSONMapping {
  /// Decodes the models of a text: an array of objects, or one object.
  ///
  /// ```swift
  /// let snacks = try JSONMapping(Snack.self)
  ///   .decode(#"{"data": {"items": [{"name": "Chips"}]}}"#, at: "data.items")
  /// ```
  ///
  /// - Parameters:
  ///   - text: JSON.
  ///   - path: the path of the models in it; the top unless given.
  /// - Returns: the models in the order of the text, without those that a hook skipped.
  /// - Throws: `invalidImport` at the first record with faults, with all of them; `invalidMapping`.
  public func decode(_ text: String, at path: String = "") throws -> [Model] {
    try text.withBytes { try models(in: $0, at: path, isText: true) }
  }

  /// Decodes the models of a text in UTF-8.
  ///
  /// A byte order mark is passed over. Every byte of the text is checked.
  public func decode(_ data: Data, at path: String = "") throws -> [Model] {
    try data.withUnsafeBytes { bytes in
      try JSONFault.checkUTF8(bytes)
      return try models(in: bytes, at: path, isText: true)
    }
  }

  /// Decodes the models of a JSON value.
  public func decode(_ json: JSONValue, at path: String = "") throws -> [Model] {
    try json.text.withBytes { try models(in: $0, at: path, isText: false) }
  }

  /// Decodes one model from a text that is one object.
  ///
  /// ```swift
  /// let chips = try JSONMapping(Snack.self).decodeOne(#"{"name": "Chips", "price": 2.5}"#)
  /// ```
  ///
  /// - Throws: `invalidImport`, also if there is no object, more than one, or a hook skips it.
  public func decodeOne(_ text: String, at path: String = "") throws -> Model {
    try one(decode(text, at: path))
  }

  /// Decodes one model from a text in UTF-8 that is one object.
  public func decodeOne(_ data: Data, at path: String = "") throws -> Model {
    try one(decode(data, at: path))
  }

  /// Decodes one model from a JSON value.
  public func decodeOne(_ json: JSONValue, at path: String = "") throws -> Model {
    try one(decode(json, at: path))
  }

  private func one(_ models: [Model]) throws -> Model {
    guard models.count == 1 else {
      throw StoreError(
        .invalidImport, "one record was expected, and there are \(models.count)",
        entity: Model.entity.written.name, rule: ImportFault.records.rawValue)
    }
    return models[0]
  }

  private func models(
    in bytes: UnsafeRawBufferPointer, at path: String, isText: Bool
  ) throws -> [Model] {
    let plan = try plan
    let reader = ObjectReader(plan, JSONReading(plan.targets, isText: isText))
    var models: [Model] = []
    try reader.forEachRecord(in: bytes, at: path) { scanner, depth, name in
      _ = try reader.read(&scanner, depth: depth, name: name, to: &models)
    }
    return models
  }
}
