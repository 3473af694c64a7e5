internal import ORMStorage

/// The content of one commit in the history.
package struct HistoryCommit {
  var author: String?
  /// The open store that wrote it.
  package var origin: UInt32
  /// The detail of `entities`.
  var level: ChangeLevel
  /// The changes of the entities of which a history is recorded.
  var entities: [EntityChanges]
  /// Other entities with rows that were written.
  var others: [String]

  private static let version: UInt8 = 1

  /// The number of changes, by which a history is bounded.
  var count: Int {
    max(1, entities.reduce(0) { $0 + max(1, $1.insertions?.count ?? $1.rows.count) })
  }

  /// The changes that a listener gets.
  ///
  /// - Parameter names: the entities of the program that it asked for; nil for all.
  func changes(
    of names: Set<String>?, at level: ChangeLevel, _ schema: RecordedSchema
  ) -> [EntityChanges] {
    let known = Dictionary(
      entities.map { ($0.entity, $0) }, uniquingKeysWith: { first, _ in first })
    let others = Set(others)
    return schema.names.compactMap { name in
      guard names?.contains(name) ?? true, known[name] != nil || others.contains(name) else {
        return nil
      }
      if level > .entities, let changes = known[name], self.level >= level {
        return changes.narrowed(to: level)
      }
      return EntityChanges(
        entity: name, parents: schema.parents[name] ?? [], isEverything: level > .entities)
    }
  }
}

extension HistoryCommit {
  var bytes: [UInt8] {
    var bytes = HistoryBytes()
    bytes.append(byte: Self.version)
    for shift: UInt32 in [0, 8, 16, 24] {
      bytes.append(byte: UInt8(truncatingIfNeeded: origin >> shift))
    }
    bytes.append(texts: author.map { [$0] })
    bytes.append(byte: UInt8(level.rawValue))
    bytes.append(texts: others)
    bytes.append(count: entities.count)
    for entity in entities { Self.append(entity, to: &bytes) }
    return bytes.bytes
  }

  private enum Flag {
    static let everything: UInt8 = 1
    static let link: UInt8 = 16
    static let old: UInt8 = 32
    static let new: UInt8 = 64
  }

  /// The kinds by their numbers in the byte form.
  private static let kinds: [RowChange.Kind] = [
    .inserted, .updated, .deleted, .hidden, .restored, .linked, .unlinked, .moved,
  ]

  private static func append(_ changes: EntityChanges, to bytes: inout HistoryBytes) {
    bytes.append(text: changes.entity)
    bytes.append(byte: changes.isEverything ? Flag.everything : 0)
    if let insertions = changes.insertions { return append(insertions, to: &bytes) }
    let rows = changes.rows
    let attributes = rows.first { !$0.names.isEmpty }?.names ?? []
    var names = attributes
    var numbers = Dictionary(
      zip(attributes, attributes.indices), uniquingKeysWith: { first, _ in first })
    func note(_ name: String) {
      if numbers[name] == nil {
        numbers[name] = names.count
        names.append(name)
      }
    }
    for row in rows {
      for attribute in row.attributes { note(attribute) }
      if let relationship = row.relationship { note(relationship) }
    }
    bytes.append(texts: names)
    bytes.append(count: attributes.count)
    bytes.append(count: rows.count)
    for row in rows {
      var head = UInt8(kinds.firstIndex(of: row.kind) ?? 0)
      if row.relationship != nil { head |= Flag.link }
      if row.oldValues != nil { head |= Flag.old }
      if row.newValues != nil { head |= Flag.new }
      bytes.append(byte: head)
      bytes.append(values: row.key)
      if let relationship = row.relationship {
        bytes.append(count: numbers[relationship] ?? 0)
        bytes.append(values: row.target)
      } else {
        bytes.append(count: row.attributes.count)
        for attribute in row.attributes { bytes.append(count: numbers[attribute] ?? 0) }
      }
      if let old = row.oldValues { bytes.append(values: old) }
      if let new = row.newValues { bytes.append(values: new) }
    }
  }

  /// Appends rows that were inserted, as ``append(_:to:)`` does for others, from the log itself.
  private static func append(_ rows: LoggedInsertions, to bytes: inout HistoryBytes) {
    bytes.append(texts: rows.names)
    bytes.append(count: rows.names.count)
    bytes.append(count: rows.count)
    rows.forEach { key, row in
      bytes.append(byte: row == nil ? 0 : Flag.new)
      bytes.append(values: key)
      bytes.append(count: 0)
      if let row { bytes.append(values: rows.values(of: row)) }
    }
  }

  init(_ bytes: [UInt8], _ schema: RecordedSchema) throws {
    var reader = HistoryByteReader(bytes)
    guard try reader.byte() == Self.version else {
      throw StoreError(
        .unsupportedVersion, "the history of the store was written by a newer version")
    }
    var origin: UInt32 = 0
    for shift: UInt32 in [0, 8, 16, 24] { origin |= UInt32(try reader.byte()) << shift }
    self.origin = origin
    author = try reader.texts()?.first
    guard let level = ChangeLevel(rawValue: Int(try reader.byte())) else {
      throw HistoryByteReader.damaged
    }
    self.level = level
    others = try reader.texts() ?? []
    entities = []
    for _ in 0..<(try reader.count()) {
      entities.append(try Self.changes(&reader, schema))
    }
    guard reader.isAtEnd else { throw HistoryByteReader.damaged }
  }

  private static func changes(
    _ reader: inout HistoryByteReader, _ schema: RecordedSchema
  ) throws -> EntityChanges {
    let entity = try reader.text()
    let isEverything = try reader.byte() & Flag.everything != 0
    let names = try reader.texts() ?? []
    let attributes = Array(names.prefix(Int(clamping: try reader.number())))
    func name(_ number: UInt64) throws -> String {
      guard number < UInt64(names.count) else { throw HistoryByteReader.damaged }
      return names[Int(number)]
    }
    let rows = try (0..<reader.count()).map { _ -> RowChange in
      let head = try reader.byte()
      let kind = kinds[Int(head & 7)]
      let key = try reader.values()
      var changed: [String] = []
      var relationship: String?
      var target: [StoredValue] = []
      if head & Flag.link != 0 {
        relationship = try name(reader.number())
        target = try reader.values()
      } else {
        changed = try (0..<reader.count()).map { _ in try name(reader.number()) }
      }
      let old = head & Flag.old == 0 ? nil : try reader.values()
      let new = head & Flag.new == 0 ? nil : try reader.values()
      return RowChange(
        kind, key: key, attributes: changed, relationship: relationship, target: target,
        names: old == nil && new == nil ? [] : attributes, old: old, new: new)
    }
    return EntityChanges(
      entity: entity, parents: schema.parents[entity] ?? [], isEverything: isEverything,
      rows: EntityRows(rows))
  }
}
