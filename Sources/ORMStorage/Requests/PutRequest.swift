/// A request to write rows by primary key: the mode, the columns and the reports.
///
/// One request is one operation: unique rules hold when it ends, not between its rows. It is a value,
/// the same for every row, so that stores compile and cache by it.
public struct PutRequest: Hashable, Sendable {
  /// The stored name of the entity.
  public var entity: String
  /// The treatment of rows that exist and of rows that do not.
  public var mode: Mode
  /// The columns that the source sets, ascending, key columns included; nil for all columns but a
  /// hidden key.
  ///
  /// On update the others keep their stored values; on insert they take their default, and `missingValue`
  /// is thrown where there is none and null is not allowed.
  public var columns: [Int]?
  /// True if a null from the source keeps the stored value (on insert: takes the default).
  public var nilKeeps: Bool
  /// The events that are reported to the visitor.
  public var reports: Reports

  /// Makes a request; every column, nulls written, nothing reported but counts by the visitor.
  public init(
    entity: String, mode: Mode, columns: [Int]? = nil, nilKeeps: Bool = false,
    reports: Reports = []
  ) {
    self.entity = entity
    self.mode = mode
    self.columns = columns
    self.nilKeeps = nilKeeps
    self.reports = reports
  }

  /// The treatment of rows that exist and of rows that do not.
  public enum Mode: String, Hashable, Sendable {
    /// A row with the key must not exist (`duplicate`).
    case insert
    /// A row with the key must exist (`notFound`).
    case update
    /// Inserted or updated.
    case upsert
    /// Inserted unless the key exists; an existing row stays as it is (`.unchanged`).
    case insertMissing
  }

  /// The events that a put reports for each row; fewer are faster.
  public struct Reports: OptionSet, Hashable, Sendable {
    /// The reports as bits.
    public let rawValue: UInt8
    /// Makes reports from bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// `PutVisitor.didPut` is called for each row with its outcome, and its key if
    /// that is one integer.
    public static let outcomes = Reports(rawValue: 1)
    /// `PutVisitor.willReplace` is called with the old row before one is updated.
    public static let oldRows = Reports(rawValue: 2)
  }
}

/// The outcome of a put for one row.
public enum PutOutcome: Hashable, Sendable {
  /// It is new.
  case inserted
  /// It replaced a stored row.
  case updated
  /// Nothing was written: the stored row was the same to the last bit, or was left alone as
  /// requested.
  case unchanged
}

/// A change to many rows at once, or to the store itself.
public enum StoreChange: Hashable, Sendable {
  /// Sets attributes of every row selected. The values may name attributes (as they were) and
  /// parameters (slots of the request's bindings). Key columns are not assigned. An assignment
  /// that changes nothing in a row is not written, but the row counts.
  case update(FetchRequest, [Assignment])
  /// Deletes every row selected.
  case delete(FetchRequest)
  /// Deletes every row of an entity, by its stored name.
  case clear(String)

  /// One attribute and its new value.
  public struct Assignment: Hashable, Sendable {
    /// The column's position.
    public var column: Int
    /// The operand whose value the column takes.
    ///
    /// An overflow throws `overflow`; a value out of the column's range or kind throws
    /// `invalidValue`; null in a required column throws `missingValue`.
    public var value: Operand

    /// Makes an assignment.
    public init(column: Int, value: Operand) {
      self.column = column
      self.value = value
    }
  }
}
