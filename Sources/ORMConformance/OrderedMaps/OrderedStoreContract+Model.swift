internal import OrderedEngine

extension OrderedStoreContract {
  /// Runs random batches on a new map and on sorted arrays, and compares both all along.
  ///
  /// Keys share long prefixes and clash often; values are of all sizes. Batches commit or roll
  /// back, savepoints nest and throw, and up to four snapshots of different ages stay open.
  ///
  /// - Parameters:
  ///   - seed: the seed of the run. A failure names it; the same seed repeats it.
  ///   - batches: the number of batches.
  /// - Throws: `ConformanceFailure` where the map differs from the model, and the errors of the
  ///   map.
  public func compareWithModel(
    seed: UInt64 = .random(in: 0 ... .max), batches: Int = 120
  ) throws {
    try naming("random batches leave what sorted arrays have", seed) {
      let store = try make()
      var walk = ModelWalk(store: store, random: SeededGenerator(seed: seed))
      for _ in 0..<batches {
        try walk.oneBatch()
        try inspect(store)
      }
      try walk.endSnapshots()
      try inspect(store)
      try store.close()
    }
  }
}

/// The sorted array that a keyspace is compared with.
package struct KeyspaceModel: Equatable {
  /// The entries in order.
  package private(set) var pairs: [Pair] = []

  /// An empty keyspace.
  package init() {}

  /// The index of the first key not less.
  package func index(of key: Bytes) -> Int {
    var (low, high) = (0, pairs.count)
    while low < high {
      let middle = (low + high) / 2
      if pairs[middle].key.precedes(key) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns `count` pairs after an index, or before it, in the order of the walk.
  package func pairs(after index: Int, forwards: Bool, _ count: Int) -> [Pair] {
    (0..<count).map { index + (forwards ? 1 + $0 : -1 - $0) }
      .map { pairs.indices.contains($0) ? pairs[$0] : Pair([], []) }
  }

  /// The value of a key.
  package func value(_ key: Bytes) -> Bytes? {
    let index = index(of: key)
    return index < pairs.count && pairs[index].key == key ? pairs[index].value : nil
  }

  /// Sets the value of a key.
  package mutating func put(_ key: Bytes, _ value: Bytes) {
    let index = index(of: key)
    if index < pairs.count && pairs[index].key == key {
      pairs[index].value = value
    } else {
      pairs.insert(Pair(key, value), at: index)
    }
  }

  /// Removes a key, and returns whether it was there.
  package mutating func remove(_ key: Bytes) -> Bool {
    let index = index(of: key)
    guard index < pairs.count && pairs[index].key == key else { return false }
    pairs.remove(at: index)
    return true
  }

  /// Removes every entry.
  package mutating func removeAll() { pairs = [] }
}

private struct ModelWalk<Store: OrderedStore> {
  let store: Store
  var random: SeededGenerator
  var committed: [Keyspace: KeyspaceModel] = [1: .init(), 2: .init(), 900: .init()]
  var snapshots: [(snapshot: Store.Snapshot, model: [Keyspace: KeyspaceModel])] = []

  init(store: Store, random: SeededGenerator) {
    self.store = store
    self.random = random
  }

  mutating func oneBatch() throws {
    let batch = try store.batch(wait: 5)
    defer { batch.end() }
    var model = committed
    // Sometimes long enough to split and merge nodes several levels deep.
    let length = random.chance(5) ? 600 : 40
    try steps(length, batch, &model, depth: 0)
    try compare(batch, model)
    if random.chance(6) {
      batch.end()
    } else {
      try batch.commit()
      committed = model
    }
    try turnOverSnapshots()
  }

  mutating func steps(
    _ count: Int, _ batch: Store.Batch, _ model: inout [Keyspace: KeyspaceModel], depth: Int
  ) throws {
    for _ in 0..<count {
      let keyspace: Keyspace = [1, 1, 1, 2, 900].randomElement(using: &random) ?? 1
      let key = randomKey(model[keyspace, default: .init()])
      switch Int.random(in: 0..<200, using: &random) {
      case 0..<70:
        let value = randomValue()
        try batch.put(key, value, in: keyspace)
        model[keyspace, default: .init()].put(key, value)
      case 70..<110:
        let value = randomValue()
        let isNew = model[keyspace, default: .init()].value(key) == nil
        try require(try batch.insert(key, value, in: keyspace) == isNew)
        if isNew { model[keyspace, default: .init()].put(key, value) }
      case 110..<165:
        let expected = model[keyspace, default: .init()].remove(key)
        try require(try batch.remove(key, in: keyspace) == expected)
      case 165..<180:
        let expected = model[keyspace, default: .init()].value(key)
        try require(try batch.value(key, in: keyspace) == expected)
      case 180..<194:
        try stroll(try batch.cursor(in: keyspace), model[keyspace, default: .init()], from: key)
      case 194 where random.chance(8):
        try batch.removeAll(in: keyspace)
        model[keyspace, default: .init()].removeAll()
      case 195..<200 where depth < 3:
        try savepoint(batch, &model, depth: depth)
      default: break
      }
    }
  }

  mutating func savepoint(
    _ batch: Store.Batch, _ model: inout [Keyspace: KeyspaceModel], depth: Int
  ) throws {
    var inner = model
    let fails = Bool.random(using: &random)
    do {
      try batch.savepoint {
        try steps(25, batch, &inner, depth: depth + 1)
        if fails { throw Interruption(number: depth) }
      }
      model = inner
    } catch let error as Interruption where error.number == depth && fails {}
    for (keyspace, model) in model {
      try require(try batch.count(of: keyspace) == model.pairs.count)
    }
  }

  /// Seeks in one of the three ways and walks to and fro, comparing each step.
  mutating func stroll(
    _ cursor: some OrderedCursor, _ model: KeyspaceModel, from key: Bytes
  ) throws {
    var index = model.index(of: key)
    var stands: Bool
    switch Int.random(in: 0..<3, using: &random) {
    case 0: stands = try cursor.seek(key)
    case 1:
      index -= 1
      stands = try cursor.seek(before: key)
    default:
      index = model.pairs.count - 1
      stands = try cursor.seekLast()
    }
    for _ in 0..<30 {
      try require(stands == model.pairs.indices.contains(index))
      guard stands, model.pairs.indices.contains(index) else { return }
      try require(cursor.pair == model.pairs[index])
      if random.chance(4) {
        let count = Int.random(in: -90...90, using: &random)
        let isThere = model.pairs.indices.contains(index + count)
        // One short of the step that would leave the map.
        let expected = isThere ? abs(count) : (count < 0 ? index : model.pairs.count - 1 - index)
        try require(try cursor.move(by: count) == expected)
        index += count
        stands = isThere
        continue
      }
      let forwards = Int.random(in: 0..<10, using: &random) < 6
      if random.chance(4) {
        let room = Int.random(in: 1...40, using: &random)
        let read = try cursor.pairs(upTo: room, forwards: forwards)
        try require(read == model.pairs(after: index, forwards: forwards, read.count))
        index += forwards ? read.count : -read.count
        let isLast = index == (forwards ? model.pairs.count - 1 : 0)
        try require(read.isEmpty ? isLast : read.count <= room)
        if isLast { return }
        continue
      }
      index += forwards ? 1 : -1
      stands = try forwards ? cursor.next() : cursor.previous()
    }
  }

  func compare(_ view: some OrderedSnapshot, _ models: [Keyspace: KeyspaceModel]) throws {
    for (keyspace, model) in models { try view.expect(model.pairs, in: keyspace) }
  }

  /// Compares a snapshot as a whole, and by all the ways to single entries.
  mutating func inspect(_ snapshot: Store.Snapshot, _ models: [Keyspace: KeyspaceModel]) throws {
    try compare(snapshot, models)
    for (keyspace, model) in models {
      let cursor = try snapshot.cursor(in: keyspace)
      for _ in 0..<12 {
        let key = randomKey(model)
        try require(try snapshot.value(key, in: keyspace) == model.value(key))
        try stroll(cursor, model, from: key)
        try compareEstimate(snapshot, keyspace, model, key, randomKey(model))
      }
    }
  }

  /// Compares the estimate of a range with the model, where the map gives one.
  ///
  /// It is never impossible, and in a few leaves not far off.
  func compareEstimate(
    _ snapshot: Store.Snapshot, _ keyspace: Keyspace, _ model: KeyspaceModel, _ one: Bytes,
    _ other: Bytes
  ) throws {
    let (lower, upper) = one.precedes(other) ? (one, other) : (other, one)
    let estimate = try lower.withUnsafeBytes { lower in
      try upper.withUnsafeBytes { try snapshot.estimatedCount(of: keyspace, from: lower, to: $0) }
    }
    guard let estimate else { return }
    try require(estimate >= 0 && estimate <= model.pairs.count + 1)
    let count = model.index(of: upper) - model.index(of: lower)
    if model.pairs.count < 30 { try require(abs(estimate - count) <= 30) }
  }

  /// Opens a snapshot, or compares and ends one of any age.
  mutating func turnOverSnapshots() throws {
    if snapshots.count < 4 && random.chance(2) {
      snapshots.append((try store.snapshot(), committed))
    } else if !snapshots.isEmpty && random.chance(2) {
      let (snapshot, model) = snapshots.remove(at: .random(in: snapshots.indices, using: &random))
      try inspect(snapshot, model)
      snapshot.end()
    }
  }

  mutating func endSnapshots() throws {
    for (snapshot, model) in snapshots {
      try inspect(snapshot, model)
      snapshot.end()
    }
    snapshots = []
    let last = try store.snapshot()
    try inspect(last, committed)
    last.end()
  }

  /// Half of the keys are there already; the others are short, or have a long common stem.
  mutating func randomKey(_ model: KeyspaceModel) -> Bytes {
    if let pair = model.pairs.randomElement(using: &random), Bool.random(using: &random) {
      return pair.key
    }
    let stems: [Bytes] = [[], [], Bytes("stem".utf8), Bytes(repeating: 0x73, count: 300)]
    let length = Int.random(in: 1...3, using: &random)
    return (stems.randomElement(using: &random) ?? [])
      + (0..<length).map { _ in [0, 1, 7, 127, 128, 254, 255].randomElement(using: &random) ?? 0 }
  }

  mutating func randomValue() -> Bytes {
    let sizes = [0...8, 0...8, 20...200, 20...200, 20...200, 900...1_300, 4_000...9_000]
    let size = Int.random(in: sizes.randomElement(using: &random) ?? 0...1, using: &random)
    return Bytes(repeating: .random(in: 0...255, using: &random), count: size)
  }
}
