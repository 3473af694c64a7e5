public import FoundationEssentials
internal import ORMStorage

/// The net effect of one commit.
///
/// ```swift
/// for try await set in store.changes(of: Snack.self, level: .values) {
///   for change in set[Snack.self].rows {
///     print(set.commit.number, change.kind, try change.id, try change.value(\.price) ?? 0)
///   }
/// }
/// ```
public struct ChangeSet: Hashable, Codable, Sendable {
  /// The commit.
  public let commit: CommitStamp
  /// The changed entities, in the order of the schema.
  ///
  /// A subentity follows its parent, and has the rows of its own kind alone.
  public let entities: [EntityChanges]

  package init(commit: CommitStamp, entities: [EntityChanges]) {
    self.commit = commit
    self.entities = entities
  }

  /// The changes of one entity, by its name in the program; nil if it has none.
  ///
  /// ```swift
  /// for try await set in store.changes(of: Snack.self) { print(set[entity: "Snack"]?.rows.count ?? 0) }
  /// ```
  public subscript(entity name: String) -> EntityChanges? {
    entities.first { $0.entity == name }
  }
}

/// The number, time and origin of a commit.
public struct CommitStamp: Hashable, Codable, Sendable {
  /// The number of the commit, counted from 1.
  ///
  /// In a store that keeps a history, it counts the commits of all processes from the history's
  /// beginning; else those that the open store has noticed.
  public let number: UInt64
  /// The position right after the commit, in a store that keeps a history; else nil.
  public let token: HistoryToken?
  /// The time of the commit, or the time at which a commit of another process was noticed.
  public let timestamp: Date
  /// The author, as `Persistence.author` or `StoreOptions.author` named it.
  ///
  /// Nil if none was named, if the operations of a group commit have different authors, and for
  /// commits of others.
  public let author: String?
  /// True if another process committed, or another store on the same file.
  public let isFromOtherProcess: Bool

  package init(
    number: UInt64, token: HistoryToken? = nil, timestamp: Date, author: String?,
    isFromOtherProcess: Bool
  ) {
    self.number = number
    self.token = token
    self.timestamp = timestamp
    self.author = author
    self.isFromOtherProcess = isFromOtherProcess
  }
}

/// The changes of one entity in a commit.
public struct EntityChanges: Hashable, Sendable {
  /// The name of the entity in the program.
  public let entity: String
  /// The entities that this one is a subentity of, the nearest first.
  public let parents: [String]
  /// True if any row of the entity may have changed; then ``rows`` is empty.
  public let isEverything: Bool
  private let content: EntityRows

  package init(
    entity: String, parents: [String], isEverything: Bool = false,
    rows: EntityRows = EntityRows([])
  ) {
    self.entity = entity
    self.parents = parents
    self.isEverything = isEverything
    content = rows
  }

  /// The changed rows in the order of their keys; empty at level `entities`.
  ///
  /// They are made when they are first read.
  public var rows: [RowChange] { content.all }

  /// The rows as they were recorded, if all of them were inserted and none was read yet.
  var insertions: LoggedInsertions? { content.insertions }

  /// The same changes in less detail.
  func narrowed(to level: ChangeLevel) -> EntityChanges {
    EntityChanges(
      entity: entity, parents: parents, isEverything: isEverything,
      rows: content.narrowed(to: level))
  }
}

extension EntityChanges: Codable {
  private enum CodingKeys: CodingKey { case entity, parents, isEverything, attributes, rows }

  /// Decodes changes.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    entity = try container.decode(String.self, forKey: .entity)
    parents = try container.decode([String].self, forKey: .parents)
    isEverything = try container.decode(Bool.self, forKey: .isEverything)
    let names = try container.decode([String].self, forKey: .attributes)
    content = EntityRows(
      try container.decode([CodedRowChange].self, forKey: .rows).map { $0.change(names) })
  }

  /// Encodes the changes; the names of the attributes once for all rows.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(entity, forKey: .entity)
    try container.encode(parents, forKey: .parents)
    try container.encode(isEverything, forKey: .isEverything)
    let rows = rows
    let names = rows.first { !$0.names.isEmpty }?.names ?? []
    try container.encode(names, forKey: .attributes)
    try container.encode(rows.map { CodedRowChange($0) }, forKey: .rows)
  }
}
