package import ORM
package import ORMMigrations

/// Rows that other programs change while a migration runs: a schema of version 1 and one of version 2, and
/// the plan between, every step of which treats each row by itself.
package enum Albums {
  /// The schema of version 1 or 2.
  package static func schema(version: Int) throws -> Schema {
    let isNew = version == 2
    var artist = [
      AttributeDescription("id", .int64),
      AttributeDescription(isNew ? "title" : "name", .string),
      AttributeDescription("born", .int64, isOptional: !isNew),
      AttributeDescription("note", .string),
      AttributeDescription("label_id", .int64, isOptional: true),
    ]
    if isNew {
      artist.append(AttributeDescription("age", .int64, defaultValue: .value(.int(0))))
    }
    var entities = [
      EntityDescription(
        name: "Artist", attributes: artist, key: ["id"], keySource: .generated,
        indexes: [
          IndexDescription([isNew ? "title" : "name"], isUnique: true), IndexDescription(["born"]),
          IndexDescription(["label_id"]),
        ],
        relationships: [
          RelationshipDescription(
            "label", target: "Label", isToMany: false, storage: .own(["label_id"], position: nil))
        ]),
      EntityDescription(
        name: "Label",
        attributes: [AttributeDescription("id", .int64), AttributeDescription("title", .string)],
        key: ["id"]),
      EntityDescription(
        name: isNew ? "Rating" : "Mark",
        attributes: [
          AttributeDescription("group", .string), AttributeDescription("number", .int64),
          AttributeDescription("value", isNew ? .string : .int64),
        ], key: ["group", "number"]),
    ]
    if !isNew {
      entities.append(
        EntityDescription(
          name: "Scrap",
          attributes: [AttributeDescription("id", .int64), AttributeDescription("text", .string)],
          key: ["id"]))
    }
    return try Schema(entities: entities, version: version)
  }

  /// The plan; run twice over a row, it would give another one.
  package static let plan = MigrationPlan([
    .version(
      2,
      [
        .renameEntity("Mark", to: "Rating"),
        .renameAttribute("name", to: "title", in: "Artist"),
        .makeRequired("born", in: "Artist", default: .int(1900)),
        .addAttribute("age", .int64, in: "Artist", default: .int(0)),
        .set("age", in: "Artist", to: "2000 - born"),
        .rows(of: "Artist", named: "emphasis", revision: 1) { row in
          if case .string(let note) = row["note"] { row["note"] = .string(note + "!") }
        },
        .changeType(of: "value", to: .string, in: "Rating", by: .text),
        .dropEntity("Scrap"), .check("age < 1000", in: "Artist"),
      ])
  ])

  /// The options of a program of version 2.
  package static var options: StoreOptions {
    var options = StoreOptions()
    options.schemaPolicy = .migrate(plan)
    options.durability = .off
    options.migration.mode = .resumable
    options.migration.access = .online
    options.migration.backup = .none
    options.migration.batchRows = 40
    options.migration.partDuration = .zero
    return options
  }
}

/// Writes rows of ``Albums`` as a program of version 1, and knows what the rows are.
package struct AlbumWriter<Generator: RandomNumberGenerator> {
  /// A row of `Artist`.
  private struct Artist {
    var name: String
    var born: Int64?
    var note: String
    var label: Int64?

    func row(_ id: Int64?) -> DynamicRow {
      var row = DynamicRow(
        "Artist",
        [
          "name": .string(name), "born": born.map { .int($0) } ?? .null, "note": .string(note),
          "label_id": label.map { .int($0) } ?? .null,
        ])
      if let id { row["id"] = .int(id) }
      return row
    }
  }

  /// A key of `Mark`.
  private struct MarkKey: Hashable, Comparable {
    var group: String
    var number: Int64

    static func < (a: Self, b: Self) -> Bool { (a.group, a.number) < (b.group, b.number) }
  }

  private struct Rows {
    var artists: [Int64: Artist] = [:]
    var labels: [Int64: String] = [:]
    var marks: [MarkKey: Int64] = [:]
  }

  /// The number of transactions.
  package private(set) var count = 0
  /// The greatest key that an artist ever had.
  package private(set) var greatestKey: Int64 = 0
  /// The store to which it writes.
  package var store: any Store
  private var generator: Generator
  private var rows = Rows()
  private var names = 0

  /// Fills a store, and writes to it from then on.
  package init(filling store: any Store, _ generator: Generator, count: Int = 300) throws {
    self.store = store
    self.generator = generator
    for id in Int64(1)...5 { rows.labels[id] = "label \(id)" }
    for number in Int64(0)..<120 {
      rows.marks[MarkKey(group: "g\(number % 7)", number: number)] = number
    }
    for id in 1...Int64(count) { rows.artists[id] = newArtist() }
    greatestKey = Int64(count)
    let all = rows
    try store.write { tx in
      try tx.insert(
        all.labels.map { DynamicRow("Label", ["id": .int($0), "title": .string($1)]) })
      try tx.insert(all.artists.sorted { $0.key < $1.key }.map { $0.value.row(nil) })
      try tx.insert(all.marks.map { Self.mark($0, $1) })
      try tx.insert(
        (1...50).map { DynamicRow("Scrap", ["id": .int($0), "text": .string("scrap")]) })
    }
  }

  private mutating func newArtist() -> Artist {
    names += 1
    return Artist(
      name: "artist \(names)",
      born: Bool.random(using: &generator) ? nil : .random(in: 1_100...1_999, using: &generator),
      note: String(repeating: "x", count: .random(in: 0...40, using: &generator)),
      label: Bool.random(using: &generator) ? nil : .random(in: 1...5, using: &generator))
  }

  private static func mark(_ key: MarkKey, _ value: Int64) -> DynamicRow {
    DynamicRow(
      "Mark", ["group": .string(key.group), "number": .int(key.number), "value": .int(value)])
  }

  private static func artist(_ id: Int64) -> DynamicQuery {
    DynamicQuery("Artist", where: .compare(.attribute("id"), .equal, .value(.int(id)), []))
  }

  /// Runs a transaction of one to four changes, or begins it and undoes it.
  package mutating func write() throws {
    let isUndone = Int.random(in: 0..<8, using: &generator) == 0
    var after = rows
    var greatest = greatestKey
    var work: [(WriteTransaction) throws -> Void] = []
    for _ in 0..<Int.random(in: 1...4, using: &generator) { change(&after, &work) }
    var inserted: [(Int64, Artist)] = []
    let new = Int.random(in: 0..<3, using: &generator) == 0 ? [newArtist(), newArtist()] : []
    do {
      try store.write { tx in
        inserted = []
        for body in work { try body(tx) }
        for artist in new {
          try tx.insert([artist.row(nil)])
          let isNew = Condition.compare(
            .attribute("name"), .equal, .value(.string(artist.name)), [])
          if case .int(let id)? = try tx.fetch(DynamicQuery("Artist", where: isNew)).first?["id"] {
            inserted.append((id, artist))
          }
        }
        if isUndone { throw Undo() }
      }
      for (id, artist) in inserted {
        after.artists[id] = artist
        greatest = max(greatest, id)
      }
      (rows, greatestKey) = (after, greatest)
    } catch is Undo {}
    count += 1
  }

  private mutating func change(
    _ after: inout Rows, _ work: inout [(WriteTransaction) throws -> Void]
  ) {
    let ids = after.artists.keys.sorted()
    guard let id = ids.randomElement(using: &generator), var artist = after.artists[id],
      let other = ids.randomElement(using: &generator)
    else { return }
    switch Int.random(in: 0..<24, using: &generator) {
    case 0..<4:
      artist.note += "y"
      artist.born = Bool.random(using: &generator) ? nil : 1_500
      after.artists[id] = artist
      work.append { [artist] tx in _ = try tx.save([artist.row(id)]) }
    case 4..<7:
      after.artists[id]?.born = 1_700
      work.append { tx in _ = try tx.update(Self.artist(id), ["born": .value(.int(1_700))]) }
    case 7..<9:
      after.artists[id] = nil
      work.append { tx in _ = try tx.delete(Self.artist(id)) }
    case 9..<13:
      // Two rows exchange a unique value.
      guard id != other, var second = after.artists[other] else { return }
      swap(&artist.name, &second.name)
      (after.artists[id], after.artists[other]) = (artist, second)
      work.append { [artist, second] tx in
        _ = try tx.save([artist.row(id), second.row(other)])
      }
    case 13..<15:
      // A row takes the unique value of one that goes.
      guard id != other, var second = after.artists[other] else { return }
      second.name = artist.name
      after.artists[id] = nil
      after.artists[other] = second
      work.append { [second] tx in
        _ = try tx.delete(Self.artist(id))
        _ = try tx.save([second.row(other)])
      }
    case 15:
      for key in ids { after.artists[key]?.note = "all" }
      work.append { tx in
        _ = try tx.update(DynamicQuery("Artist"), ["note": .value(.string("all"))])
      }
    case 16..<20:
      let key = MarkKey(group: "g\(id % 9)", number: id % 150)
      after.marks[key] = id
      work.append { tx in _ = try tx.save([Self.mark(key, id)]) }
    case 20..<22:
      let group = "g\(id % 9)"
      after.marks = after.marks.filter { $0.key.group != group }
      work.append { tx in
        _ = try tx.delete(
          DynamicQuery(
            "Mark", where: .compare(.attribute("group"), .equal, .value(.string(group)), [])))
      }
    case 22:
      after.marks = [:]
      work.append { tx in
        _ = try tx.delete(DynamicQuery("Mark"))
        _ = try tx.delete(DynamicQuery("Scrap"))
      }
    default:
      let label = id % 7 + 1
      after.labels[label] = "new \(id)"
      work.append { tx in
        _ = try tx.save([
          DynamicRow("Label", ["id": .int(label), "title": .string("new \(id)")])
        ])
      }
    }
  }

  /// The differences of a store of a version from what was written, and the faults of a check.
  package func differences(_ store: any Store, version: Int) throws -> [String] {
    let isNew = version == 2
    var expected: [String: [[StoredValue]]] = [:]
    expected["Artist"] = rows.artists.sorted { $0.key < $1.key }.map { id, artist in
      let born = artist.born.map { StoredValue.int($0) }
      let values: [StoredValue] = [
        .int(id), .string(artist.name), born ?? (isNew ? .int(1_900) : .null),
        .string(artist.note + (isNew ? "!" : "")), artist.label.map { .int($0) } ?? .null,
      ]
      return isNew ? values + [.int(2_000 - (artist.born ?? 1_900))] : values
    }
    expected["Label"] = rows.labels.sorted { $0.key < $1.key }.map { [.int($0), .string($1)] }
    expected[isNew ? "Rating" : "Mark"] = rows.marks.sorted { $0.key < $1.key }.map {
      [.string($0.group), .int($0.number), isNew ? .string("\($1)") : .int($1)]
    }
    let attributes =
      isNew
      ? [
        "Artist": ["id", "title", "born", "note", "label_id", "age"], "Label": ["id", "title"],
        "Rating": ["group", "number", "value"],
      ]
      : [
        "Artist": ["id", "name", "born", "note", "label_id"], "Label": ["id", "title"],
        "Mark": ["group", "number", "value"],
      ]
    var differences: [String] = []
    for (entity, names) in attributes.sorted(by: { $0.key < $1.key }) {
      let found = try store.read { try $0.fetch(DynamicQuery(entity)) }.map { row in
        names.map { row[$0] }
      }
      let wanted = expected[entity] ?? []
      if found.count != wanted.count {
        differences.append("\(found.count) rows of \(entity), not \(wanted.count)")
      }
      if let pair = zip(found, wanted).first(where: { $0 != $1 }) {
        differences.append("\(entity): \(pair.0), not \(pair.1)")
      }
    }
    let report = try store.check()
    if !report.isSound { differences.append("\(report)") }
    return differences
  }
}

/// Undoes a transaction.
private struct Undo: Error {}
