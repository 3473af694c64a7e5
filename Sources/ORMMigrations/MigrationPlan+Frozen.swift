internal import FoundationEssentials
public import ORMCore
internal import ORMRows
internal import ORMStorage

extension MigrationPlan {
  /// Returns whether the plan leads from a schema in a file to the schema of a program, for unit tests.
  ///
  /// The command writes such a file for each version: `strata schema freeze LOCATION`.
  ///
  /// ```swift
  /// let isWhole = try plan.leads(from: "Schemas/v1.json", to: schema)
  /// ```
  ///
  /// - Returns: true if additions are all that is left to do; otherwise ``outcome(from:to:)`` has the
  ///   differences.
  /// - Throws: `cannotOpen` and `decoding` for the file; `invalidPlan` for a step that its schema does
  ///   not allow; `schemaTooNew`.
  public func leads(from path: String, to schema: Schema) throws -> Bool {
    do {
      _ = try outcome(from: StoredSchema(frozenAt: path), to: schema.stored)
      return true
    } catch let error as StoreError where error.code == .invalidPlan && !error.failures.isEmpty {
      return false
    }
  }
}

extension StoredSchema {
  /// Reads a schema from a file of JSON.
  ///
  /// - Throws: `cannotOpen` for a file that cannot be read, `decoding` for one with something else.
  package init(frozenAt path: String) throws {
    guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)),
      let text = String(bytes: data, encoding: .utf8)
    else { throw StoreError(.cannotOpen, "the file \(path) cannot be read") }
    do { self = try JSONCoding.decode(StoredSchema.self, from: text) } catch let error as StoreError
    {
      throw StoreError(error.code, "\(path) is no schema: \(error.message)")
    }
  }
}
