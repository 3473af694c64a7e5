public import ORM

/// The options of an import of one model.
///
/// ```swift
/// let source = ImportFrom.jsonLines(.text(#"{"name": "Chips"}"#))
/// let report = try store.import(Snack.self, from: source) {
///   $0.match = .on(\.name)
///   $0.onBad = .collect()
/// }
/// ```
///
/// Options that do not depend on the model are those of ``ImportSettings``.
@dynamicMemberLookup
public struct ImportOptions<Model: Persistable>: Sendable {
  /// The mapping of records; the model's own, or one in which attributes have their own names.
  public var mapping: JSONMapping<Model>
  /// The attributes by which records find their rows.
  public var match = ImportMatch<Model>.key
  /// Sets properties of every record that are not in the source, such as the shop of a price list.
  public var given: (@Sendable (inout Model) -> Void)?
  /// The rows that are deleted at the end because no record came for them.
  public var prune = ImportPrune<Model>.nothing
  /// The options that do not depend on the model.
  public var settings = ImportSettings()

  init() { mapping = Self.ownMapping ?? JSONMapping() }

  /// The mapping that the model declares; nil for a model without one.
  static var ownMapping: JSONMapping<Model>? {
    (Model.self as? any JSONMapped.Type).flatMap { own($0) }
  }

  private static func own<Mapped: JSONMapped>(_ model: Mapped.Type) -> JSONMapping<Model>? {
    Mapped.json as? JSONMapping<Model>
  }

  /// An option that does not depend on the model.
  public subscript<Value>(
    dynamicMember path: WritableKeyPath<ImportSettings, Value>
  ) -> Value {
    get { settings[keyPath: path] }
    set { settings[keyPath: path] = newValue }
  }
}

/// The attributes by which the records of an import find their rows.
public struct ImportMatch<Model: Persistable>: Sendable {
  /// The attributes; empty for the primary key.
  let paths: [any AnyKeyPath & Sendable]

  /// The primary key.
  ///
  /// Records without one are inserted.
  public static var key: ImportMatch { ImportMatch(paths: []) }

  /// Attributes that identify rows.
  ///
  /// Keys of records do not count.
  /// Nested objects that are stored already keep their attributes.
  public static func on(
    _ path: any PartialKeyPath<Model> & Sendable, _ others: any PartialKeyPath<Model> & Sendable...
  ) -> ImportMatch {
    ImportMatch(paths: [path] + others)
  }
}

/// The rows that an import deletes because no record came for them.
public enum ImportPrune<Model: Persistable>: Sendable {
  /// No rows.
  case nothing
  /// The rows of a query: those that the source should list completely.
  case missing(in: Query<Model>)
}

/// The options of an import that do not depend on a model.
public struct ImportSettings: Sendable {
  /// The treatment of stored attributes.
  public var merge = ImportMerge.present
  /// The treatment of records without a row.
  public var onMissing = OnMissing.insert
  /// The treatment of records that cannot be read or saved.
  public var onBad = ImportBadRecords.stop
  /// The transactions that the records are written in.
  public var commit = ImportCommit.atEnd
  /// The treatment of links whose targets neither are stored nor come.
  public var missingTargets = ImportMissingTargets.fail
  /// The largest part of the rows of the scope that a prune may delete, 0.5 unless changed.
  public var pruneLimit = 0.5
  /// True if a prune is done although records were bad; their rows are deleted then too.
  public var prunesDespiteBadRecords = false
  /// True if an import by `.every` goes on where the same import of the same source ended.
  public var resumes = true
  /// A number that is raised when a closure of the mapping, or `given`, changes its meaning.
  ///
  /// An interrupted import goes on with the same rules alone. Rules that are data are compared, and
  /// so are the names of transforms; this number stands for the code of closures.
  public var revision = 0
  /// The limits of records.
  public var limits = ImportLimits()
  /// A closure that is called now and then while the import runs, on its thread.
  public var progress: (@Sendable (ImportProgress) -> Void)?

  /// The standard settings.
  public init() {}
}

/// A treatment of stored attributes by an import.
public enum ImportMerge: String, Hashable, Codable, Sendable {
  /// Attributes that a record has are set, and others stay.
  case present
  /// Attributes that a record lacks get their defaults.
  case replace
  /// Attributes that a record lacks get their defaults, and nil keeps the stored value.
  ///
  /// To keep stored values that a record does not mention, use ``present``.
  case skippingNil
  /// Rows that are stored stay as they are.
  case insertOnly
}

/// A treatment of the records of an import that cannot be read or saved.
public enum ImportBadRecords: Hashable, Sendable {
  /// The first one ends the import with its error.
  case stop
  /// Bad records are left out whole, and the report lists the first ``ImportReport/listed`` of them.
  ///
  /// - Parameters:
  ///   - upTo: the most of them; one more ends the import.
  ///   - writingTo: a file for them, as JSON Lines: `{"line": 3, "error": "…", "record": {…}}`.
  case collect(upTo: Int = 1_000, writingTo: String? = nil)
}

/// The transactions of an import.
public enum ImportCommit: Hashable, Sendable {
  /// One transaction: everything, or nothing.
  case atEnd
  /// A transaction for this number of records.
  ///
  /// If the store's schema has ``ImportCheckpoint``, an import that was interrupted goes on after
  /// the last of them.
  case every(Int)
}

/// A treatment of links to targets that neither are stored nor come with the import.
///
/// Of nested objects, the links that are found by an attribute are cleared and created alone; a key
/// in one that leads nowhere ends the import with `invalidMapping`, unless this is `fail`.
public enum ImportMissingTargets: String, Hashable, Codable, Sendable {
  /// The record is bad: `missingTarget`.
  case fail
  /// The link leads nowhere; a to-many has its other targets. Where it is required, the record is
  /// bad.
  case clear
  /// The link keeps the key, which leads nowhere until such a row is saved.
  ///
  /// It must be a to-one with the delete rule `noAction`, not required, and no one-to-one. Its model
  /// must have a primary key; by names, the record must have that key. Any other link without a
  /// target ends the import with `invalidMapping`.
  case keepKey
  /// A row with the key alone is saved, or with the attribute by which it is found.
  ///
  /// The import ends with `invalidMapping` if another attribute is required and has no default.
  case create
}

/// The state of an import that runs.
public struct ImportProgress: Hashable, Sendable {
  /// The number of bytes of the source that were read.
  public var bytes: Int
  /// The number of bytes of the source.
  public var size: Int
  /// The number of records that were read.
  public var records: Int
  /// The number of bad records.
  public var bad: Int
}
