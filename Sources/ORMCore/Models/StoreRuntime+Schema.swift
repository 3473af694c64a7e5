public import ORMStorage

extension StoreRuntime {
  /// Makes the runtime of a store that is being opened with a program's schema, whose Swift types
  /// give load hooks, checks by code and the models of subentities.
  ///
  /// ```swift
  /// let runtime = StoreRuntime(schema: schema, options: options, file: path)
  /// ```
  ///
  /// - Parameters:
  ///   - schema: the schema that the program declares; nil where the store knows its schema by the
  ///     file alone.
  ///   - options: the options that the store is opened with.
  ///   - file: the one file of the store, if the store changes it without replacing it.
  ///   - name: the store's name in its errors, where it has no such file.
  ///   - system: the kind of store, which instruments are told of.
  public convenience init(
    schema: Schema?, options: StoreOptions = StoreOptions(), file: String? = nil,
    name: String? = nil, system: String = "other"
  ) {
    self.init(
      models: schema?.storedModels ?? [:], options: options, file: file, name: name, system: system)
  }
}
