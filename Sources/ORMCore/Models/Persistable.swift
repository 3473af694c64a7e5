@_spi(Records) public import ORMStorage

/// A model: a type whose values are stored as the rows of an entity.
///
/// Declare it by hand, which is the fast path, or conform to `Codable` and give the entity alone.
///
/// ```swift
/// struct Airport: Persistable, PrimaryKeyed {
///   var id: Int64 = 0
///   var name: String
///   static let entity = Entity<Airport>("Airport") {
///     .key("id", \.id, .generated)
///     .attribute("name", \.name, .indexed)
///   }
///   init<R: RowReader & ~Copyable>(row: borrowing R) throws {
///     id = try row[0]
///     name = try row[1]
///   }
///   func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
///     try row.write(id, at: 0)
///     try row.write(name, at: 1)
///   }
/// }
/// ```
///
/// A model that is not ``PrimaryKeyed`` gets a hidden key made by the store: it can be inserted,
/// saved by match, queried, updated and deleted by filter, but not found by key.
public protocol Persistable: PartedValue, Sendable {
  /// The entity that the model is stored as.
  ///
  /// Declare it as a stored `static let`: it is read often.
  static var entity: Entity<Self> { get }
  /// The declarations that the model's protocols contribute to its attributes; empty unless one
  /// does.
  ///
  /// See ``EntityPart/joined(_:)``.
  static var sharedAttributes: EntityPart<Self> { get }
  /// Makes the model from a row whose columns are the entity's attributes, in declared order.
  init<R: RowReader & ~Copyable>(row: borrowing R) throws
  /// Writes every attribute of the entity, in declared order.
  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws
  /// The number of columns the declared attributes have, for a type that embeds this one to go on
  /// behind them.
  ///
  /// Counted from the entity unless the type says it, which is faster: a number, plus those of the
  /// structs that it embeds.
  static var columnCount: Int { get }

  // Synthesized by the compiler or in Persistable+Rows.swift: nothing to implement.

  /// Adds the model of a row, by `init(row:)`.
  @_spi(Records)
  static func append<R: RowReader & ~Copyable>(row: borrowing R, to models: inout [Self]) throws
  /// Initializes memory with the model of a row, by `init(row:)`.
  @_spi(Records)
  static func initialize<R: RowReader & ~Copyable>(
    _ pointer: UnsafeMutablePointer<Self>, row: borrowing R) throws
  /// Adds the model of a record, by `init(row:)`.
  @_spi(Records)
  static func append(record: RecordReader, to models: inout [Self]) throws
  /// Adds the models of the records of a block; one that throws is the one taken last.
  @_spi(Records)
  static func append(block: inout RecordBlock, to models: inout [Self]) throws
  /// Initializes memory with the model of a record, by `init(row:)`.
  @_spi(Records)
  static func initialize(_ pointer: UnsafeMutablePointer<Self>, record: RecordReader) throws
}

extension Persistable {
  /// The number of attributes that the entity declares.
  public static var columnCount: Int { entity.written.attributes.count }
}

extension Optional where Wrapped: Persistable {
  /// One more than the struct has: the first says whether it is there.
  @inlinable
  public static var columnCount: Int { Wrapped.columnCount + 1 }
}

/// A model with a primary key of its own.
public protocol PrimaryKeyed: Persistable, FormatArgument {
  /// The key's type: a scalar, or a ``CompositeKey``.
  associatedtype ID: PrimaryKey
  /// The primary key.
  ///
  /// A save returns the object with the key that the store gave it. It also sets the key of a given
  /// object if the model is a class, and takes it back if the write fails.
  ///
  /// A key with another name needs one line, and `id: \.id` where the entity declares it:
  ///
  /// ```swift
  /// struct Coupon: PrimaryKeyed, Codable {
  ///   var couponNumber: Int64 = 0
  ///   var id: Int64 { get { couponNumber } set { couponNumber = newValue } }
  ///   static let entity = Entity<Coupon>("Coupon") {
  ///     .key("couponNumber", \.couponNumber, .generated, id: \.id)
  ///   }
  /// }
  /// ```
  var id: ID { get set }
  /// The keys of several models; nothing to implement.
  ///
  /// Compiled where the model is.
  static func keys(of models: [Self]) -> [ID]
}

extension PrimaryKeyed {
  /// Each model's key.
  @inlinable
  public static func keys(of models: [Self]) -> [ID] { models.map { $0.id } }
}

/// A key path to an attribute that may cross concurrency domains.
public typealias AttributePath<Root, Value> = any KeyPath<Root, Value> & Sendable
/// A writable key path that may cross concurrency domains.
public typealias WritableAttributePath<Root, Value> = any WritableKeyPath<Root, Value> & Sendable
