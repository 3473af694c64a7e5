internal import FoundationEssentials
internal import ORM

/// The state of reading one text, which the readers of nested objects share.
final class JSONReading {
  let limits: JSONScanner.Limits
  /// The most bytes of one record.
  let recordSize: Int
  let faults = FaultList()
  /// The mappings of targets that declare none.
  let targets: SharedTargets
  /// True if the JSON is a text of the caller, so messages name locations in it.
  let isText: Bool
  /// The location of the text in a source of many records; nil for a text of its own.
  var origin: RecordOrigin?
  /// The stored rows that objects are merged into; nil where they replace stored rows.
  var stored: StoredRows?
  /// The rows that links lead to by an attribute; nil without a store.
  var lookup: TargetLookup?
  /// True if links that are found by an attribute are not looked up.
  var passesOverTargets = false
  /// The rows that objects are looked for which are saved only where there is none; nil where no rule
  /// asks for it, and without a store.
  var newTargets: NewTargets?
  /// The rows that lists of the record lack; nil where no rule deletes them, and without a store.
  var unlisted: UnlistedMembers?
  /// The nested objects of the record that are of kinds with models of their own; nil where there are
  /// no such kinds, and without a store.
  var nestedKinds: NestedKinds?
  /// The program's own clock and UUIDs for defaults, see `StoreOptions`; nil for those of the system.
  var clock: (@Sendable () -> Date)?
  var uuids: (@Sendable () -> UUID)?
  /// True if the record has nested objects, which are saved with it.
  var hasObjects = false
  /// The error of a nested object whose link has no target yet.
  var missing: StoreError?

  init(_ targets: SharedTargets, isText: Bool, limits: ImportLimits = ImportLimits()) {
    self.targets = targets
    self.isText = isText
    self.limits = limits.ofScanner
    recordSize = limits.recordSize
  }

  /// Takes the clock and the UUIDs of a transaction's store for defaults.
  func useClock(of transaction: WriteTransaction) {
    clock = transaction.store.runtime.options.now
    uuids = transaction.store.runtime.options.uuids
  }

  /// The error of text that is not JSON, or past a limit, at the scanner's position.
  @inline(never)
  func broken(_ message: String, _ scanner: JSONScanner) -> StoreError {
    JSONFault(
      offset: scanner.position, message: "not JSON that can be read: \(message)", kind: .syntax
    )
    .error(in: scanner.bytes, isText: isText, origin: origin)
  }

  /// Moves past one value and checks it.
  ///
  /// - Throws: `invalidImport` for text that is not JSON.
  func skip(_ scanner: inout JSONScanner, depth: Int) throws {
    if let message = scanner.skipChecked(limits, depth: depth) { throw broken(message, scanner) }
  }

  /// Calls a closure with the scanner at each element of an array, which the closure moves past.
  func forEachElement(
    _ scanner: inout JSONScanner, depth: Int, _ body: (inout JSONScanner) throws -> Void
  ) throws {
    try checkDepth(depth, scanner)
    scanner.position += 1
    if scanner.skip(UInt8(ascii: "]")) { return }
    repeat {
      scanner.skipSpace()
      try body(&scanner)
    } while scanner.skip(UInt8(ascii: ","))
    guard scanner.skip(UInt8(ascii: "]")) else {
      throw broken("no comma and no closing bracket after an element", scanner)
    }
  }

  /// Calls a closure with each member of an object, which the closure moves past.
  func forEachMember(
    _ scanner: inout JSONScanner, depth: Int,
    _ body: (_ name: String, inout JSONScanner) throws -> Void
  ) throws {
    try checkDepth(depth, scanner)
    scanner.position += 1
    if scanner.skip(UInt8(ascii: "}")) { return }
    repeat {
      scanner.skipSpace()
      guard let token = scanner.string(), let name = scanner.text(of: token) else {
        throw broken("no name of a member", scanner)
      }
      if token.range.count > limits.nameSize { throw broken("a name that is too long", scanner) }
      guard scanner.skip(UInt8(ascii: ":")) else { throw broken("no colon after a name", scanner) }
      scanner.skipSpace()
      try body(name, &scanner)
    } while scanner.skip(UInt8(ascii: ","))
    guard scanner.skip(UInt8(ascii: "}")) else {
      throw broken("no comma and no closing brace after a member", scanner)
    }
  }

  private func checkDepth(_ depth: Int, _ scanner: JSONScanner) throws {
    if depth >= limits.depth {
      throw broken("more than \(limits.depth) nested objects and arrays", scanner)
    }
  }
}
