public import ORMStorage

extension RowReader where Self: ~Copyable {
  /// A to-one of a row: `team = try row.toOne(0, of: Player.self)`.
  ///
  /// - Parameters:
  ///   - number: the relationship's number among those of the entity, in declared order.
  ///   - model: the model that the row is of.
  /// - Returns: the link with its target's key; not loaded where the key lives with the target.
  /// - Throws: `decoding`.
  @inlinable @inline(__always)
  public func toOne<Model: Persistable, Target: PrimaryKeyed>(
    _ number: Int, of model: Model.Type
  ) throws -> ToOne<Target> {
    let resolved = Model.entity.resolved
    guard number < resolved.keyPositions.count else {
      throw resolved.unknownLink(number, .decoding)
    }
    guard let first = resolved.keyPositions[number].first else { return .notLoaded }
    if try isNull(at: first) { return ToOne(.fetched(nil, nil)) }
    return ToOne(.fetched(try Target.ID.read(from: self, at: resolved.keyPositions[number]), nil))
  }
}

extension RowWriter where Self: ~Copyable {
  /// Writes a to-one: `try row.write(team, toOne: 0, of: Player.self)`.
  ///
  /// Relationships are written after the attributes, in declared order; one whose key lives with
  /// the target writes nothing.
  @inlinable @inline(__always)
  public mutating func write<Model: Persistable, Target: PrimaryKeyed>(
    _ link: ToOne<Target>, toOne number: Int, of model: Model.Type
  ) throws {
    let resolved = Model.entity.resolved
    guard number < resolved.keyPositions.count else {
      throw resolved.unknownLink(number, .invalidValue)
    }
    let columns = resolved.keyPositions[number]
    if columns.isEmpty { return }
    guard let id = link.id else {
      for column in columns { try setNull(at: column) }
      return
    }
    try resolved.write(id, toOne: number, in: &self)
  }

  /// Writes a to-one whose target has a key of one attribute.
  @inlinable @inline(__always)
  public mutating func write<Model: Persistable, Target: PrimaryKeyed>(
    _ link: ToOne<Target>, toOne number: Int, of model: Model.Type
  ) throws where Target.ID: AttributeValue {
    let resolved = Model.entity.resolved
    guard number < resolved.keyPositions.count else {
      throw resolved.unknownLink(number, .invalidValue)
    }
    guard let column = resolved.keyPositions[number].first else { return }
    guard let id = link.id else { return try setNull(at: column) }
    try id.write(to: &self, at: column)
  }
}

extension EntityResolution {
  /// The error of a row that names a relationship by a number it has not.
  @usableFromInline
  func unknownLink(_ number: Int, _ code: StoreError.Code) -> StoreError {
    StoreError(code, "the entity has no relationship \(number)", entity: description.name)
  }

  /// Writes the key of a to-one's target to the columns that hold it, as their types say.
  @usableFromInline
  func write<W: RowWriter & ~Copyable>(
    _ id: some PrimaryKey, toOne number: Int, in row: inout W
  ) throws {
    for (column, value) in zip(keyPositions[number], try id.keyValues()) {
      try row.set(value: value, at: column, type: description.attributes[column].type)
    }
  }
}

extension PrimaryKey {
  /// Reads a key from a row's columns.
  public static func read<R: RowReader & ~Copyable>(
    from row: borrowing R, at columns: [Int]
  ) throws -> Self {
    var values: [StoredValue] = []
    for column in columns { values.append(try row.value(at: column)) }
    return try Self(keyValues: values)
  }

  /// Writes a key to a row's columns.
  public func write<W: RowWriter & ~Copyable>(to row: inout W, at columns: [Int]) throws {
    for (column, value) in zip(columns, try keyValues()) {
      try row.set(value: value, at: column, type: value.kind?.widestType ?? .int64)
    }
  }
}

extension CompositeKey {
  /// Writes the properties to a row's columns, each as its own type.
  public func write<W: RowWriter & ~Copyable>(to row: inout W, at columns: [Int]) throws {
    let (values, types) = try RowEncoding.typedKeyValues(of: self)
    for (column, (value, type)) in zip(columns, zip(values, types)) {
      try row.set(value: value, at: column, type: type)
    }
  }
}

extension PrimaryKey where Self: AttributeValue {
  /// Reads a key from a row's column.
  @inlinable @inline(__always)
  public static func read<R: RowReader & ~Copyable>(
    from row: borrowing R, at columns: [Int]
  ) throws -> Self {
    try Self.read(from: row, at: columns[0])
  }

  /// Writes a key to a row's column.
  @inlinable @inline(__always)
  public func write<W: RowWriter & ~Copyable>(to row: inout W, at columns: [Int]) throws {
    try write(to: &row, at: columns[0])
  }
}

/// A relationship's value, for the mapper of models that are Codable.
package protocol LinkValue: Sendable {
  /// The link as it is read: from the key of its own entity's row, or without one.
  static func decoded(fromKey values: [StoredValue]?) throws -> Self
  /// The key that the own entity's row holds; nil for none.
  func keyInRow() throws -> [StoredValue]?
}

extension ToOne: LinkValue {
  package static func decoded(fromKey values: [StoredValue]?) throws -> ToOne {
    guard let values else { return .notLoaded }
    if values.allSatisfy(\.isNull) { return ToOne(.fetched(nil, nil)) }
    return ToOne(.fetched(try Target.ID(keyValues: values), nil))
  }

  package func keyInRow() throws -> [StoredValue]? { try id?.keyValues() }
}

extension ToMany: LinkValue {
  package static func decoded(fromKey values: [StoredValue]?) -> ToMany { .notLoaded }

  package func keyInRow() -> [StoredValue]? { nil }
}
