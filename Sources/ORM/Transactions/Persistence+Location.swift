public import ORMCore

extension Persistence {
  /// Opens the store at a location as the default of the process:
  /// `try Persistence.setUp(.sqlite(named: "App"), schema: schema)`.
  ///
  /// Called again with the same location, schema and options it does nothing.
  ///
  /// - Throws: `notConfigured` if another store was set up before, and the errors of opening.
  public static func setUp(
    _ location: StoreLocation, schema: Schema, options: StoreOptions = StoreOptions()
  ) throws {
    var comparable = options
    comparable.onError = nil
    comparable.instruments = []
    try setUp(identity: "\(location)\n\(comparable)\n\(schema.entities)") {
      try location.open(schema: schema, options: options)
    }
  }
}
