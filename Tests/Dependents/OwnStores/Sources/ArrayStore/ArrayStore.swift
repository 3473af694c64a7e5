public import ORMCore
import Synchronization

/// The simplest store there is: arrays of rows, copied whole for every snapshot, and loops.
///
/// The model that random runs compare every other store with, and an example of the seam for
/// authors of stores. Everything costs time in the number of rows; use it for tests alone.
public final class ArrayStore: Store {
  /// The declared schema, with the names that the disk has for its parts.
  public let schema: StoredSchema
  /// The state that core keeps for the store.
  public let runtime: StoreRuntime
  /// The disk to which the content is committed; it outlives the store.
  public let disk: Disk
  private let isClosed = Atomic<Bool>(false)

  /// The content of a closed store, to be opened again.
  public final class Disk: Sendable {
    let content = Mutex<ArrayContent?>(nil)

    /// Nothing yet.
    public init() {}
  }

  /// Opens what a disk holds.
  ///
  /// - Throws: `schemaMismatch` when it holds another schema (clause 7.5); the errors of the
  ///   migration that the policy has.
  public convenience init(
    schema: Schema, options: StoreOptions = StoreOptions(), disk: Disk = Disk()
  ) throws {
    let runtime = StoreRuntime(schema: schema, options: options, name: "an array store")
    let held = disk.content.withLock { $0 }
    let declared = schema.stored.keepingHistory(options, of: held?.schema)
    let store = ArrayStore(declared, runtime, disk)
    try store.open(declared, isNew: held == nil)
    // A program of before goes on by the names that the disk has now.
    self.init(declared.following(aliasesOf: try store.content().schema), runtime, disk)
  }

  private init(_ schema: StoredSchema, _ runtime: StoreRuntime, _ disk: Disk) {
    self.schema = schema
    self.runtime = runtime
    self.disk = disk
  }

  /// Makes the content, or brings it to a declared schema.
  private func open(_ declared: StoredSchema, isNew: Bool) throws {
    try StoreError.naming(runtime.name) {
      if isNew { return try replaceContent(by: ArrayContent(empty: declared)) }
      let opening = SchemaOpening(runtime.options)
      try opening.write { () -> Void? in
        let transaction = try ArrayTransaction(self, content())
        let changes = try opening.changes(in: transaction, to: declared)
        if opening.goesOn {
          try transaction.commit()
          return nil
        }
        return try transaction.finish(changes, declared: declared)
      }
    }
  }

  /// A view of a copy of everything.
  public func reader(_ turn: borrowing ReadTurn) throws -> any StoreReader {
    ArrayReader(try content())
  }

  /// A copy of everything, to be changed.
  public func writer(_ turn: borrowing WriteTurn) throws -> any StoreWriter {
    try content().schema.checkIsNotBeingMigrated()
    return try ArrayWriter(self)
  }

  /// Releases the disk, which keeps the committed content.
  public func close(_ turn: borrowing CloseTurn) throws { isClosed.store(true, ordering: .relaxed) }

  func content() throws -> ArrayContent {
    guard !isClosed.load(ordering: .relaxed), let content = disk.content.withLock({ $0 }) else {
      throw StoreError(.closed, "the store was closed")
    }
    return content
  }

  func replaceContent(by new: ArrayContent) throws {
    disk.content.withLock { $0 = new }
  }
}
