internal import ORM

/// The result of reading a record.
enum ReadOutcome {
  /// The record waits to be saved.
  case accepted
  /// A hook leaves the record out.
  case skipped
  /// A record that waits has the same key; it must be saved before.
  case repeated
}

/// The part of an import that depends on the kind of rows: models, or rows of an entity by names.
protocol RecordSink: AnyObject {
  var entity: String { get }
  /// The mapping as JSON, to distinguish imports; nil for one with closures.
  var mappingText: String? { get }
  /// The positions of the attributes by which records find their rows.
  var identity: [Int] { get }
  /// True if the members of an object are records.
  var isKeyed: Bool { get }
  /// The points of the target that matter for reading its records.
  var form: RecordForm { get }
  /// The attribute that a path is read into; nil for a path that is not read.
  func column(at path: [PathStep]) -> ColumnPlan?
  /// The paths that are read inside of a struct that may be nil; nil for a path of anything else.
  func parts(ofStructAt path: [PathStep]) -> [[PathStep]]?
  /// The relationship that a path is read into; nil for a path at which none is read.
  func link(at path: [PathStep]) -> LinkField?
  /// Reads the stored rows of records that come next.
  func prepare(_ records: ArraySlice<RawRecord>, _ transaction: WriteTransaction) throws
  /// Reads a record, which then waits.
  func read(_ record: RawRecord, _ transaction: WriteTransaction) throws -> ReadOutcome
  /// Saves the records that wait, which wait still; if it throws, nothing was written.
  func save(_ transaction: WriteTransaction) throws -> SaveCounts
  /// Notes that the records that wait are saved, and forgets them.
  func didSave() throws
  /// The positions, among the records that were saved last, of those whose links may be set later; nil
  /// for all.
  var settled: [Int]? { get }
  /// True if the record that was read last must be saved before the next one is read.
  var mustSave: Bool { get }
  /// The numbers of rows that the last call of `save` or `settle` deleted, since lists lack them, by
  /// entity.
  var deleted: [String: Int] { get }
  /// The number of records, stored rows and keys in memory.
  var countInMemory: Int { get }
  /// Forgets the records that wait, and the stored rows that were read for them.
  func drop()
  /// The links of the record that was read last whose targets are not stored yet, and which were left
  /// out.
  var openLinks: Set<String> { get }
  /// The treatment of links without a target; nil while targets may still come.
  var treatment: ImportMissingTargets? { get set }
  /// True once every record was read: links that are found by an attribute wait until then where the
  /// import writes rows of their targets.
  var hasReadAll: Bool { get set }
  /// Applies the treatment to links without a target of the records that wait; false if there are none.
  ///
  /// - Throws: `invalidMapping` for a link that cannot be treated so.
  func treatMissingLinks(_ transaction: WriteTransaction) throws -> Bool
  /// Takes links to targets that are not stored out of the records that wait, and names them.
  func leaveOutMissingLinks(_ transaction: WriteTransaction) throws -> Set<String>
  /// Saves links of a record whose other values are stored; true if they changed.
  ///
  /// A link without a target stays as it is, and its error is `unsettled`.
  func settle(
    _ record: RawRecord, links: Set<String>, _ transaction: WriteTransaction
  ) throws -> Bool
  /// The error of the first link that the last call of `settle` could not save; nil if it saved all.
  var unsettled: StoreError? { get set }
  /// True if rows are deleted at the end.
  var prunes: Bool { get }
  /// The values that identify a record, with all that every record is given; none for one whose key the
  /// store gives, and nil for one that is left out.
  func identity(of record: RawRecord, _ transaction: WriteTransaction) throws -> [StoredValue]?
  /// Notes that a record came, which an earlier run has saved.
  func note(_ identity: [StoredValue]) throws
  /// Deletes the rows of the scope for which no record came.
  ///
  /// - Throws: `pruneRefused`.
  func prune(upTo limit: Double, _ transaction: WriteTransaction) throws -> Int
}

extension RecordSink {
  /// Saves each of some links by itself, since one of them leads nowhere; true if any changed.
  ///
  /// - Parameters:
  ///   - links: the links.
  ///   - error: the error of the one that leads nowhere.
  ///   - settle: saves links.
  func settleEach<Link>(
    _ links: [Link], _ error: StoreError, _ settle: ([Link]) throws -> Bool
  ) throws -> Bool {
    guard links.count > 1 else {
      unsettled = error
      return false
    }
    var isChanged = false
    for link in links {
      do {
        if try settle([link]) { isChanged = true }
      } catch let error as StoreError where error.code == .missingTarget {
        if unsettled == nil { unsettled = error }
      }
    }
    return isChanged
  }

  var form: RecordForm {
    RecordForm(
      entity: entity, isKeyed: isKeyed, column: { self.column(at: $0) },
      link: { self.link(at: $0) }, structParts: { self.parts(ofStructAt: $0) })
  }
}

extension ArraySlice<RawRecord> {
  /// Calls a closure with a scanner at each record.
  func forEachJSON(_ body: (JSONScanner) throws -> Void) throws {
    for record in self where record.fault == nil {
      try record.withJSON { record in
        // A text that is not JSON is reported when the record is read.
        guard JSONScanner.firstInvalidByte(of: record.bytes) == nil else { return }
        var scanner = JSONScanner(record.bytes)
        scanner.skipSpace()
        try body(scanner)
      }
    }
  }
}

/// The keys of a batch, in the order in which they came: the integers, then the others.
struct IdentitySet {
  private var table = KeyTable()
  private var integers: [Int64] = []
  private var others: [[StoredValue]] = []

  /// Adds an integer that is a key; false if it is there already.
  mutating func insert(_ value: Int64) -> Bool {
    guard table.position(ofInteger: value, next: count) == count else { return false }
    integers.append(value)
    return true
  }

  /// Adds a key; false if it is there already.
  @discardableResult
  mutating func insert(_ values: [StoredValue]) -> Bool {
    if values.count == 1, case .int(let value) = values[0] { return insert(value) }
    guard table.position(of: values, next: count) == count else { return false }
    others.append(values)
    return true
  }

  var isEmpty: Bool { count == 0 }
  var count: Int { integers.count + others.count }

  func contains(_ values: [StoredValue]) -> Bool { table.position(of: values) != nil }

  /// Calls a closure with each key.
  func forEach(_ body: ([StoredValue]) throws -> Void) rethrows {
    for value in integers { try body([.int(value)]) }
    for values in others { try body(values) }
  }

  mutating func removeAll() {
    table.removeAll()
    integers.removeAll(keepingCapacity: true)
    others.removeAll(keepingCapacity: true)
  }
}

extension RecordPlan {
  /// The attribute that a path is read into; nil for a path that is not read.
  func column(at path: [PathStep]) -> ColumnPlan? {
    columns.first { $0.sources.contains(path) }
  }
}

extension StoreError {
  /// True for a fault of a record; false for a fault of the store, after which nothing more can be
  /// done.
  var isOfRecord: Bool {
    let codes: [Code] = [
      .invalidImport, .invalidValue, .missingValue, .tooLarge, .duplicate, .validationFailed,
      .conflict, .missingTarget, .conflictingLinks, .countOutOfRange, .requiredCycle, .denied,
      .ambiguous, .notFound,
    ]
    return codes.contains(code)
  }

  /// The error of a prune that would delete too much.
  static func pruneRefused(_ count: Int, of all: Int, limit: Double, entity: String) -> StoreError {
    StoreError(
      .pruneRefused,
      "the prune would delete \(count) of \(all) rows, more than \(Int(limit * 100)) %; see that "
        + "the source is complete, or raise `pruneLimit`", entity: entity)
  }
}
