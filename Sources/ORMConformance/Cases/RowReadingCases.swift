internal import FoundationEssentials
internal import ORM
internal import ORMCore
internal import ORMSessions

extension ConformanceCase {
  /// Clauses 1.1 and 1.2: every way to read a row, for values of every type.
  static let rowReading: [ConformanceCase] =
    HostileValues.types.map { read($0) } + [jsonReading]

  private static func read<Value: CellValue>(_ type: Value.Type) -> ConformanceCase {
    ConformanceCase("every way to read a row gives values of \(type) as they were saved", "1.2") {
      context in
      let rows = HostileValues.rows(of: Value.attributeType)
      let cells = try Cells<Value>(context, rows)
      var store = cells.store
      for reading in CellReading.allCases {
        let got = try reading.read(cells)
        try context.expectEqual(got.count, rows.count, "rows by \(reading)")
        for (row, values) in zip(got, rows) {
          let expected = values.prefix(row.count).map(reading.expected)
          try context.expectSame(row, expected, "\(reading)")
        }
      }
      if let extremes = try Value.extremes(in: store) {
        let values = HostileValues.of(Value.attributeType)
        let ends = [values[0], values[values.count - 1]]
        try context.expectSame(extremes, ends + ends + ends + ends, "min and max")
        for name in ["required", "optional", "indexed", "unique"] {
          let least = try store.read {
            try $0.aggregate(DynamicQuery("Cell"), Aggregate(.minimum, .attribute(name)))
          }
          try context.expectSame([least], [ends[0]], "min of \(name) by names")
        }
      }
      for (id, values) in zip(1..., rows) {
        let condition = try Value(storedValue: values[0])
        let found = try store.fetch(ValueCell<Value>.all.where { $0.required == condition }).map(
          \.id)
        try context.expect(found.contains(Int64(id)), "row \(id) by its value")
      }
      // Read values equal the stored ones, so that a save of them changes nothing.
      let models = try store.fetch(ValueCell<Value>.all)
      try context.expectEqual(
        try store.save(models).counts, SaveCounts(unchanged: models.count), "saved as it was read")
      let parts = try store.fetch(SubCell<Value>.all)
      try context.expectEqual(
        try store.save(parts).counts, SaveCounts(unchanged: parts.count), "saved as it was read")
      store = try context.reopen(
        store, ValueCell<Value>.self, SubCell<Value>.self, Grid<Value>.self,
        options: .keepingHistory())
      try context.expectEqual(try store.fetch(ValueCell<Value>.all), models, "opened again")
      try context.expect(try store.check().isSound, "sound")
    }
  }

  private static let jsonReading = ConformanceCase(
    "every way to read a row gives JSON as it was saved", "1.2"
  ) { context in
    let values = HostileValues.of(.json)
    let store = try context.open(Sheet.self, options: .keepingHistory())
    let start = try store.historyToken
    let rows = values.enumerated().map { number, value in
      DynamicRow("Sheet", ["id": .int(Int64(number)), "required": value])
    }
    _ = try store.write { try $0.insert(rows) }
    func expect(_ got: [StoredValue], _ way: String) throws {
      try context.expectSame(got, values, way)
    }
    try expect(try store.fetch(Sheet.all).map(\.text), "fetch")
    let ids = values.indices.map { Int64($0) }
    try expect(try ids.compactMap { try store.find(Sheet.self, $0)?.text }, "find")
    try expect(try store.find(Sheet.self, ids).map(\.text), "find by keys")
    var found: [StoredValue] = []
    try store.read { try $0.chunks(Sheet.all, size: 3) { found += $0.map(\.text) } }
    try expect(found, "chunks")
    try expect(
      try store.read { try $0.fetch(DynamicQuery("Sheet")) }.map { $0["required"] }, "by names")
    let selection = DynamicSelection("Sheet", [.value("required")])
    try expect(try store.fetch(selection).map { $0["required"] }, "select by names")
    let session = Session(store)
    try expect(try session.fetch(Sheet.all).map(\.value.text), "session")
    try expect(
      try store.history(after: start).flatMap { $0[entity: "Sheet"]?.rows ?? [] }
        .map { $0.new?["required"] ?? .null }, "history")
    let target = try context.open(Sheet.self)
    try StoreCopy(from: store, to: target).run()
    try expect(try target.fetch(Sheet.all).map(\.text), "copy")
    let sheets = try store.fetch(Sheet.all)
    try context.expectEqual(
      try store.save(sheets).counts, SaveCounts(unchanged: sheets.count), "saved as it was read")
  }
}

/// A store of cells with certain values, of subentities of them, and of rows that are linked to them.
private struct Cells<Value: CellValue> {
  let context: ConformanceContext
  let store: any Store
  /// The position in the history before the first row.
  let start: HistoryToken

  /// The keys of subentities are those of cells with the same values, and this number.
  static var offset: Int64 { 1_000 }

  init(_ context: ConformanceContext, _ rows: [[StoredValue]]) throws {
    self.context = context
    store = try context.open(
      ValueCell<Value>.self, SubCell<Value>.self, Grid<Value>.self, options: .keepingHistory())
    start = try store.historyToken
    let numbered = zip(Int64(1)..., rows)
    try store.insert(try numbered.map { try ValueCell<Value>($0, $1) })
    try store.insert(try numbered.map { try SubCell<Value>($0 + Self.offset, $1) })
    let ids = numbered.map(\.0)
    try store.insert(
      try numbered.map { id, values in
        Grid<Value>(
          id: id, value: try Value(storedValue: values[0]), one: .key(id), many: .keys([id]),
          shared: .keys(id == 1 ? ids : []))
      })
  }
}

/// A way to read the rows of cells.
enum CellReading: CaseIterable {
  case fetch, find, findByKeys, first, pages, chunks, sorted, select, selectChunks, distinct, groups
  case firstPerGroup, prefetchOne, prefetchMany, prefetchShared, load, concrete, subentity, coded
  case fetchByNames, chunksByNames, selectByNames, distinctByNames, groupsByNames
  case sessionFetch, sessionFind, history, historyByNames, copy, snapshot

  /// Returns a value as it is read: groups and distinct values have one zero, in arrays too.
  func expected(_ value: StoredValue) -> StoredValue {
    switch self {
    case .distinct, .groups, .distinctByNames, .groupsByNames: Self.withOneZero(value)
    default: value
    }
  }

  private static func withOneZero(_ value: StoredValue) -> StoredValue {
    switch value {
    case .double(0): .double(0)
    case .date(let date) where date.timeIntervalSinceReferenceDate == 0:
      .date(Date(timeIntervalSinceReferenceDate: 0))
    case .array(let elements): .array(elements.map { withOneZero($0) })
    default: value
    }
  }

  /// Returns the values of the rows in the order of their keys: of all attributes, or of the first ones.
  fileprivate func read<Value: CellValue>(_ cells: Cells<Value>) throws -> [[StoredValue]] {
    typealias Model = ValueCell<Value>
    let store = cells.store
    let all = Model.all.where { $0.id < Cells<Value>.offset }
    let ids = try store.fetch(all.select(\.id))
    let names = ["required", "optional", "indexed", "unique"]
    let named = try DynamicQuery("Cell", in: store.schema, where: "id < 1000")
    func values(_ rows: [DynamicRow]) -> [[StoredValue]] {
      rows.map { row in names.map { row[$0] } }
    }
    switch self {
    case .fetch: return try store.fetch(all).map(\.stored)
    case .find: return try ids.compactMap { try store.find(Model.self, $0)?.stored }
    case .findByKeys: return try store.find(Model.self, ids).map(\.stored)
    case .first:
      return try ids.compactMap { id in try store.first(all.where { $0.id == id })?.stored }
    case .pages:
      var found: [Model] = []
      var page = try store.fetchPage(all.limit(2))
      while !page.rows.isEmpty {
        found += page.rows
        page = try store.fetchPage(all.limit(2).after(page.end))
      }
      return found.map(\.stored)
    case .chunks:
      var found: [Model] = []
      try store.read { try $0.chunks(all, size: 3) { found += $0 } }
      return found.map(\.stored)
    case .sorted:
      // Arrays have no order.
      let sorted =
        Value.attributeType.isScalar ? all.sorted(by: .descending(\.optional)) : all
      return try store.fetch(sorted).sorted { $0.id < $1.id }.map(\.stored)
    case .select:
      return try store.fetch(all.select(\.required, \.optional, \.indexed, \.unique)).map {
        [$0.storedValue, $1.storedValue, $2.storedValue, $3.storedValue]
      }
    case .selectChunks:
      var found: [[StoredValue]] = []
      try store.read {
        try $0.chunks(all.select(\.required, \.optional, \.indexed, \.unique), size: 3) {
          found += $0.map { [$0.storedValue, $1.storedValue, $2.storedValue, $3.storedValue] }
        }
      }
      return found
    case .distinct:
      return try store.fetch(all.select(\.id, \.required, \.optional, \.indexed).distinct()).map {
        [$1.storedValue, $2.storedValue, $3.storedValue]
      }
    case .groups:
      return try store.fetch(
        all.grouped(by: \.id, \.required, \.optional, \.indexed) { $0.count() }
      ).map { row in [row.1.storedValue, row.2.storedValue, row.3.storedValue] }
    case .firstPerGroup: return try store.fetch(all.first(1, per: \.id)).map(\.stored)
    case .prefetchOne:
      return try store.fetch(Grid<Value>.all.prefetch(\.one)).compactMap {
        try $0.one.get()?.stored
      }
    case .prefetchMany:
      return try store.fetch(Grid<Value>.all.prefetch(\.many)).flatMap { try $0.many.get() }
        .map(\.stored)
    case .prefetchShared:
      return try store.fetch(Grid<Value>.all.prefetch(\.shared).limit(1))
        .flatMap { try $0.shared.get() }.map(\.stored)
    case .load:
      return try store.fetch(Grid<Value>.all).compactMap { try store.load($0, \.one)?.stored }
    case .concrete:
      return try store.fetch(Model.all.where { $0.id > Cells<Value>.offset }, as: .concrete)
        .compactMap { ($0 as? SubCell<Value>)?.stored }.map { Array($0.prefix(3)) }
    case .subentity:
      return try store.fetch(SubCell<Value>.all).map { part in
        Array(part.stored.prefix(1)) + [part.own.storedValue, part.indexed.storedValue]
      }
    case .coded:
      return try store.fetch(Grid<Value>.all).map { [$0.value.storedValue] }
    case .fetchByNames:
      return try store.read { values(try $0.fetch(named)) }
    case .chunksByNames:
      var found: [DynamicRow] = []
      try store.read { try $0.chunks(named, size: 3) { found += $0 } }
      return values(found)
    case .selectByNames, .distinctByNames, .groupsByNames:
      var selection = DynamicSelection(
        named,
        [.value("id"), .value("required"), .value("optional"), .value("indexed"), .value("unique")])
      if self == .distinctByNames { selection.isDistinct = true }
      if self == .groupsByNames {
        selection.keys = (["id"] + names).map { Operand.attribute($0) }
        selection.columns.append(.aggregate("count", Aggregate(.count)))
      }
      return values(try store.fetch(selection))
    case .sessionFetch: return try Session(store).fetch(all).map(\.value.stored)
    case .sessionFind:
      let session = Session(store)
      return try ids.compactMap { try session.find(Model.self, $0)?.value.stored }
    case .history:
      let sets = try store.history(after: cells.start)
      // A link of a one-way relationship is written into the row of its target.
      let changes = sets.flatMap { set in set[Model.self].rows.filter { $0.kind == .inserted } }
      let models: [Model] = try changes.compactMap { change in try change.new() }
      return models.filter { $0.id < Cells<Value>.offset }.map(\.stored)
    case .historyByNames:
      let sets = try store.history(after: cells.start)
      let changes: [RowChange] = sets.flatMap { set in set[entity: "Cell"]?.rows ?? [] }
      return changes.filter { $0.kind == .inserted }.map { change in
        names.map { name in change.new?[name] ?? StoredValue.null }
      }
    case .copy:
      let target = try cells.context.open(Model.self, SubCell<Value>.self, Grid<Value>.self)
      try StoreCopy(from: store, to: target).run()
      return try target.fetch(all).map(\.stored)
    case .snapshot: return try store.read { try $0.fetch(all) }.map(\.stored)
    }
  }
}
