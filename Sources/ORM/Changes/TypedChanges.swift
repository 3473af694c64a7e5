public import ORMCore

/// The changes of a model's objects in a commit, those of its subentities included.
public struct TypedChanges<Model: Persistable>: Sendable {
  /// True if any object of the model may have changed; ``rows`` then lacks some changes.
  public let isEverything: Bool
  /// The changes in the order of their keys.
  public let rows: [TypedChange<Model>]

  init(_ set: ChangeSet) {
    let name = Model.entity.description.name
    let found = set.entities.filter { $0.entity == name || $0.parents.contains(name) }
    isEverything = found.contains { $0.isEverything }
    let decodings = found.map { changes in
      ChangedRows<Model>(changes.rows.first { !$0.names.isEmpty }?.names ?? [])
    }
    let rows = zip(found, decodings).flatMap { changes, decoding in
      changes.rows.map { TypedChange(row: $0, decoding: decoding) }
    }
    // Each entity is sorted already.
    self.rows = found.count < 2 ? rows : rows.sorted { RowChange.isBefore($0.row, $1.row) }
  }

  /// True if nothing of the model changed.
  public var isEmpty: Bool { rows.isEmpty && !isEverything }
}

/// One change of an object, or of one of its links.
public struct TypedChange<Model: Persistable>: Sendable {
  /// The change without its type.
  public let row: RowChange
  let decoding: ChangedRows<Model>

  /// The kind of the change.
  public var kind: RowChange.Kind { row.kind }

  /// Returns whether the change concerns an attribute: an update of it, an insert or a delete.
  ///
  /// ```swift
  /// for try await set in store.changes(of: Snack.self, level: .values) {
  ///   for change in set[Snack.self].rows { if change.changes(\.price) { print(try change.id) } }
  /// }
  /// ```
  ///
  /// Requires level `attributes`. For a relationship, ask for the names in ``/ORMRows/RowChange/attributes``.
  public func changes<Value>(_ path: AttributePath<Model, Value>) -> Bool {
    switch kind {
    case .inserted, .deleted: true
    case .updated, .hidden, .restored:
      Model.entity.name(of: path).map { row.attributes.contains($0) } ?? false
    case .linked, .unlinked, .moved: false
    }
  }

  /// Returns the object before the commit, or nil if it was inserted, or below level `values`.
  ///
  /// ```swift
  /// for try await set in store.changes(of: Snack.self, level: .values) {
  ///   for change in set[Snack.self].rows { print(try change.old()?.name ?? "new") }
  /// }
  /// ```
  ///
  /// - Throws: `decoding` if the row is not one of the model.
  public func old() throws -> Model? { try row.oldValues.map { try decoding.model($0) } }

  /// Returns the object after the commit, or nil if it was deleted, or below level `values`.
  ///
  /// ```swift
  /// for try await set in store.changes(of: Snack.self, level: .values) {
  ///   for change in set[Snack.self].rows { print(try change.new()?.name ?? "deleted") }
  /// }
  /// ```
  ///
  /// - Throws: `decoding` if the row is not one of the model.
  public func new() throws -> Model? { try row.newValues.map { try decoding.model($0) } }

  /// Returns the value of a property after the commit; nil where ``new()`` is.
  ///
  /// ```swift
  /// for try await set in store.changes(of: Snack.self, level: .values) {
  ///   for change in set[Snack.self].rows { print(try change.value(\.price) ?? 0) }
  /// }
  /// ```
  ///
  /// - Throws: as ``new()``.
  public func value<Value>(_ path: KeyPath<Model, Value>) throws -> Value? {
    try new()?[keyPath: path]
  }

  /// Returns the value of a property before the commit; nil where ``old()`` is.
  ///
  /// ```swift
  /// for try await set in store.changes(of: Snack.self, level: .values) {
  ///   for change in set[Snack.self].rows { print(try change.oldValue(\.price) ?? 0) }
  /// }
  /// ```
  ///
  /// - Throws: as ``old()``.
  public func oldValue<Value>(_ path: KeyPath<Model, Value>) throws -> Value? {
    try old()?[keyPath: path]
  }
}

extension TypedChange where Model: PrimaryKeyed {
  /// Returns the primary key of the object.
  ///
  /// - Throws: `decoding` if the change is not one of the model.
  public var id: Model.ID {
    get throws { try Model.ID(keyValues: row.key) }
  }
}

extension ChangeSet {
  /// The changes of a model's objects, those of its subentities included.
  ///
  /// ```swift
  /// for try await set in store.changes(of: Snack.self) { print(set[Snack.self].rows.count) }
  /// ```
  public subscript<Model: Persistable>(model: Model.Type) -> TypedChanges<Model> {
    TypedChanges(self)
  }
}

extension RowChange {
  /// Returns the object before the commit, or nil if it was inserted, or below level `values`.
  ///
  /// - Throws: `decoding` if the row is not one of the model.
  public func old<Model: Persistable>(as model: Model.Type) throws -> Model? {
    try oldValues.map { try ChangedRows<Model>(names).model($0) }
  }

  /// Returns the object after the commit, or nil if it was deleted, or below level `values`.
  ///
  /// - Throws: `decoding` if the row is not one of the model.
  public func new<Model: Persistable>(as model: Model.Type) throws -> Model? {
    try newValues.map { try ChangedRows<Model>(names).model($0) }
  }
}

/// The rows of a change set as objects of a model.
struct ChangedRows<Model: Persistable>: Sendable {
  private let entity: StoredEntity
  /// The position of each of the model's attributes in a row; nil if the row lacks one.
  private let positions: [Int]?

  /// - Parameter names: the attributes of the rows.
  init(_ names: [String]) {
    entity = Model.entity.description.lowered()
    let positions = entity.columns.compactMap { names.firstIndex(of: $0.attribute) }
    self.positions = positions.count == entity.columns.count ? positions : nil
  }

  func model(_ values: [StoredValue]) throws -> Model {
    guard let positions, positions.allSatisfy({ $0 < values.count }) else {
      throw StoreError(
        .decoding, "the changed row lacks attributes of the model", entity: entity.modelName)
    }
    var model: Model = try entity.model(
      from: BufferedRow(positions.map { values[$0] }), isHooked: Model.hasLoadHook)
    var links = DecodedLinks<Model>(of: entity)
    if links.isNeeded { try links.repair(&model) }
    return model
  }
}
