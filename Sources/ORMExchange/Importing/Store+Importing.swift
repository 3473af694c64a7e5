internal import Dispatch
public import ORM

extension Store {
  /// Imports records: finds or creates the row of each, and sets its values and links.
  ///
  /// ```swift
  /// let source = ImportFrom.json(.text(#"{"data": [{"name": "Chips", "price": 2.5}]}"#), at: "data")
  /// let report = try store.import(Snack.self, from: source) {
  ///   $0.match = .on(\.name)
  ///   $0.prune = .missing(in: Snack.all)
  /// }
  /// print(report)
  /// ```
  ///
  /// A record is read by the mapping. Attributes that it lacks keep their stored values, unless `merge`
  /// says otherwise, and of two records with one key the later counts. Links may lead to records that
  /// come later. Rules and hooks run as in any save. The source is read in blocks, and again from the
  /// beginning where links lead to later records.
  ///
  /// Everything is one transaction unless `commit` says otherwise, and the writer slot is held while
  /// it is read. Inside of a write block it is a savepoint of that block.
  ///
  /// - Parameters:
  ///   - model: the model of the records.
  ///   - source: the source and its form.
  ///   - configure: sets options.
  /// - Returns: the numbers of records by their outcome, and the bad ones.
  /// - Throws: the error of the first bad record, with its location: `invalidImport` for one that
  ///   cannot be read, and the errors of a save. `importStopped` for more bad records than are
  ///   collected, `pruneRefused`, `sourceChanged`, `invalidMapping`, `cannotOpen`, `tooLarge`.
  @discardableResult
  public func `import`<Model: Persistable>(
    _ model: Model.Type, from source: ImportFrom,
    _ configure: (inout ImportOptions<Model>) throws -> Void = { _ in }
  ) throws -> ImportReport {
    var options = ImportOptions<Model>()
    try configure(&options)
    options.mapping = try options.mapping.knowingKinds(of: self)
    let file = try ImportFile(source.content)
    guard let kinds = try options.mapping.plan.kinds else {
      return try run(ModelSink(options), source, file, options.settings)
    }
    return try run(KindSink(options, kinds), source, file, options.settings)
  }

  /// Imports records, off the cooperative pool.
  ///
  /// ```swift
  /// let source = ImportFrom.jsonLines(.text(#"{"name": "Chips"}"#))
  /// let report = try await store.import(Snack.self, from: source) { $0.onBad = .collect() }
  /// ```
  ///
  /// Cancelling the task ends the import with `CancellationError`; the batches before stay.
  @discardableResult
  public func `import`<Model: Persistable>(
    _ model: Model.Type, from source: ImportFrom,
    _ configure: (inout ImportOptions<Model>) throws -> Void = { _ in }
  ) async throws -> ImportReport {
    var options = ImportOptions<Model>()
    try configure(&options)
    options.mapping = try options.mapping.knowingKinds(of: self)
    let configured = options
    guard let kinds = try configured.mapping.plan.kinds else {
      return try await run(source, configured.settings) { try ModelSink(configured) }
    }
    return try await run(source, configured.settings) { try KindSink(configured, kinds) }
  }

  /// Imports records into an entity, by names.
  ///
  /// ```swift
  /// let source = ImportFrom.csv(.text("id,name\n1,Chips\n"))
  /// let report = try store.import(entity: "Snack", from: source)
  /// ```
  ///
  /// As the import of a model, for tools that know no Swift type: records have attributes and the
  /// keys of to-ones, and find their rows by the primary key.
  @discardableResult
  public func `import`(
    entity: String, from source: ImportFrom,
    _ configure: (inout DynamicImportOptions) throws -> Void = { _ in }
  ) throws -> ImportReport {
    var options = DynamicImportOptions()
    try configure(&options)
    let file = try ImportFile(source.content)
    let plan = try DynamicPlan(options.mapping, of: entity, in: schema, .reading)
    guard let table = plan.table else {
      return try run(RowSink(options, plan), source, file, options.settings)
    }
    return try run(KindSink(options, plan, table), source, file, options.settings)
  }

  /// Imports records into an entity, by names, off the cooperative pool.
  ///
  /// ```swift
  /// let source = ImportFrom.csv(.text("id,name\n1,Chips\n"))
  /// let report = try await store.import(entity: "Snack", from: source)
  /// ```
  @discardableResult
  public func `import`(
    entity: String, from source: ImportFrom,
    _ configure: (inout DynamicImportOptions) throws -> Void = { _ in }
  ) async throws -> ImportReport {
    var options = DynamicImportOptions()
    try configure(&options)
    let configured = options
    let plan = try DynamicPlan(configured.mapping, of: entity, in: schema, .reading)
    guard let table = plan.table else {
      return try await run(source, configured.settings) { try RowSink(configured, plan) }
    }
    return try await run(source, configured.settings) { try KindSink(configured, plan, table) }
  }

  private func run(
    _ sink: some RecordSink, _ source: ImportFrom, _ file: ImportFile,
    _ settings: ImportSettings
  ) throws -> ImportReport {
    try ImportRun(sink, self, source, file, settings).run()
  }

  private func run<Sink: RecordSink>(
    _ source: ImportFrom, _ settings: ImportSettings,
    _ sink: @escaping @Sendable () throws -> Sink
  ) async throws -> ImportReport {
    let file =
      if case .chunks(let chunks) = source.content.kind {
        try await ImportFile.spooling(chunks)
      } else {
        try ImportFile(source.content)
      }
    defer { file.remove() }
    let isCancelled = Lock(false)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
          continuation.resume(
            with: Result {
              try RunningOperation.run(unless: { isCancelled.withLock { $0 } }) {
                try self.run(sink(), source, file, settings)
              }
            })
        }
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
  }
}
