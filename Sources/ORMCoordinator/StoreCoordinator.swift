public import ORMCore
internal import ORMRows
internal import ORMStorage

/// Several stores of unlike kinds as one.
///
/// ```swift
/// let store = try StoreCoordinator(
///   schema,
///   configurations: [
///     .configuration("main", Team.self, Player.self, at: .sqlite(path: "app.sqlite")),
///     .configuration("cache", Snack.self, at: .memory),
///   ])
/// ```
///
/// Each configuration has the entities that it names. Relationships, conditions, orders, groups, delete
/// rules and derived attributes work across configurations as inside of one. A request that names
/// entities of one configuration is answered by its store. Of others, one store gives the rows, and
/// related rows of the other are read by batches of keys.
///
/// ## Transactions
/// A transaction over several durable configurations is atomic, whenever the process ends: the first
/// durable one keeps a journal, and its commit is the commit. The others commit after it; one that could
/// not is given the changes when the coordinator is opened again. So put the configuration first that is
/// written most. With `StoreOptions.durability` other than `full`, a power cut may undo the last commits
/// of one configuration and not of another.
///
/// If a store cannot commit, because its disk is full for instance, the transaction is nevertheless
/// committed by the journal. Until the store has taken the changes, its entities cannot be read and
/// nothing can be written: both throw `degraded`, which names it. Each write tries again.
///
/// A read sees all stores at one point in time. Programs that open one of the files alone see its
/// content.
///
/// ## Configurations
/// Names of configurations are stored. An entity stays in its configuration; links between
/// entities of two configurations are in the one that is in memory, or else in the first. Contents
/// outside of rows, and the history, are in the first durable configuration.
public final class StoreCoordinator: Store {
  /// The declared schema, that of all configurations together.
  public let schema: StoredSchema
  /// The scheduler, the limits and the caches of the whole.
  public let runtime: StoreRuntime
  /// The names of the configurations, in order.
  public let configurations: [String]
  private let members: CoordinatorMembers
  private let fork = ForkCheck()

  /// Opens the stores of configurations, and makes those that are not there.
  ///
  /// Each store is opened with the part of the schema that lies in it. A migration of
  /// `options.schemaPolicy` sees the whole, and is one transaction of each store. If the process ends
  /// between their commits, the next opening puts the stores back from copies and migrates again; for
  /// this every durable configuration but one needs a location of a file.
  ///
  /// ```swift
  /// let store = try StoreCoordinator(
  ///   schema, options: options,
  ///   configurations: [
  ///     .configuration("main", at: .sqlite(path: "app.sqlite")),
  ///     .configuration("cache", Snack.self, at: .memory),
  ///   ])
  /// ```
  ///
  /// - Parameters:
  ///   - schema: the schema of the program.
  ///   - options: the options of the whole, which each store gets.
  ///   - configurations: the stores, the journal's first.
  /// - Throws: `invalidSchema` if an entity is in no configuration or in two; `wrongStore` for a store
  ///   of another coordinator or of another time; `cannotOpen` if one is missing; `schemaMismatch`,
  ///   naming entities that lie elsewhere; the errors of the stores.
  public init(
    _ schema: Schema, options: StoreOptions = StoreOptions(), configurations: [StoreConfiguration]
  ) throws {
    self.configurations = configurations.map(\.name)
    members = try MemberOpening(schema, configurations, options).run()
    var declared = members.layout.schema
    declared.migrations = members.stores[members.layout.journal].schema.migrations
    self.schema = declared
    runtime = StoreRuntime(
      schema: schema, options: options,
      name: "a coordinator of " + self.configurations.joined(separator: ", "),
      system: "coordinator")
    let numbers = members.stores.compactMap(\.runtime.commitsOfOthers)
    if !numbers.isEmpty { runtime.watchOthers { try Self.joined(numbers) } }
    let sources = members.stores.compactMap(\.runtime.connectionSource)
    if let source = ConnectionSource(joining: sources) { runtime.showConnections(of: source) }
  }

  /// A number that changes with the numbers of the stores; nil if one of them is not known.
  private static func joined(_ numbers: [@Sendable () throws -> UInt64?]) throws -> UInt64? {
    var sum: UInt64 = 0
    for number in numbers {
      guard let value = try number() else { return nil }
      sum = (sum ^ value) &* 0x9E37_79B9_7F4A_7C15
    }
    return sum
  }

  /// Opens a reader on all stores at one point in time.
  public func reader(_ turn: borrowing ReadTurn) throws -> any StoreReader {
    try fork.check()
    let views = try members.commits.betweenCommits {
      var views: [Result<any StoreReader, StoreError>] = []
      do {
        for (member, store) in members.stores.enumerated() {
          if let error = members.degradation(of: member) {
            views.append(.failure(error))
          } else {
            views.append(
              .success(
                try StoreError.naming(store.runtime.name) {
                  try store.reader(ReadTurn())
                }))
          }
        }
      } catch {
        Self.end(views)
        throw error
      }
      return views
    } ending: {
      Self.end($0)
    }
    return CoordinatorReader(members.routing, views)
  }

  private static func end(_ views: [Result<any StoreReader, StoreError>]) {
    for case .success(let view) in views { view.end() }
  }

  /// Begins the write transaction; the stores begin theirs when they are first used.
  ///
  /// - Throws: `readOnly`; `degraded` while a store lacks a commit that others have.
  public func writer(_ turn: borrowing WriteTurn) throws -> any StoreWriter {
    try fork.check()
    if members.options.isReadOnly {
      throw StoreError(
        .readOnly, "the coordinator was opened for reading only", store: runtime.name)
    }
    try members.checkIsWhole()
    return CoordinatorWriter(members)
  }

  /// Closes every store.
  public func close(_ turn: borrowing CloseTurn) throws {
    var failure: (any Error)?
    for store in members.stores {
      do { try store.close(turn) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }
}
