internal import ORMStorage

/// The entries that one row has in one index: one, or one for each distinct element.
struct EntryList: ~Copyable {
  private var bytes = ByteBuffer()
  /// The number of entries.
  private var count = 0
  /// The only entry, of an index that is not one of elements.
  private var only = Item(start: 0, suffix: 0, end: 0)
  /// The offsets of each entry, of its primary key and of its end, in an index of elements.
  private var items: [Item] = []
  private var hasElements = false
  /// True if a unique rule does not apply, because a term is null.
  private(set) var isExempt = false

  private struct Item {
    var start: Int
    var suffix: Int
    var end: Int
  }

  mutating func clear() {
    bytes.truncate()
    if hasElements { items.removeAll(keepingCapacity: true) }
    count = 0
    isExempt = false
  }

  /// Appends the entries of a row with a primary key.
  mutating func append(
    _ index: IndexStorage, of row: RecordView, key: UnsafeRawBufferPointer
  ) throws {
    hasElements = index.hasElements
    guard !hasElements else { return try appendElements(index, of: row, key: key) }
    let start = bytes.count
    // By index: iterating over the array itself would count references for every row.
    for i in index.terms.indices {
      let term = index.terms[i]
      if term.isTagged && row.isNull(term.field) { isExempt = true }
      try bytes.append(term, of: row)
    }
    only = end(start, index, key)
    count = 1
  }

  private mutating func appendElements(
    _ index: IndexStorage, of row: RecordView, key: UnsafeRawBufferPointer
  ) throws {
    guard let term = index.terms.first, !row.isNull(term.field) else { return }
    for element in try row.array(term.field) {
      let start = bytes.count
      bytes.append(term, value: element)
      items.append(end(start, index, key))
    }
    let base = UnsafeRawPointer(bytes.base)
    func entry(_ item: Item) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(start: base + item.start, count: item.end - item.start)
    }
    items.sort { ByteOrder.compare(entry($0), entry($1)) == .less }
    var distinct: [Item] = []
    for item in items {
      if let last = distinct.last, entry(last).elementsEqual(entry(item)) { continue }
      distinct.append(item)
    }
    keep(distinct)
  }

  private mutating func keep(_ items: [Item]) {
    self.items = items
    count = items.count
  }

  private mutating func end(
    _ start: Int, _ index: IndexStorage, _ key: UnsafeRawBufferPointer
  ) -> Item {
    let suffix = bytes.count
    bytes.append(key)
    if index.isSuffixDescending { bytes.complement(from: suffix) }
    return Item(start: start, suffix: suffix, end: bytes.count)
  }

  /// Calls `body` with each entry and how many of its bytes come before the primary key.
  func forEach(_ body: (UnsafeRawBufferPointer, Int) throws -> Void) rethrows {
    for number in 0..<count {
      let item = item(number)
      try body(bytes.bytes(from: item.start, to: item.end), item.suffix - item.start)
    }
  }

  private func item(_ number: Int) -> Item { hasElements ? items[number] : only }

  private func entry(_ number: Int) -> UnsafeRawBufferPointer {
    let item = item(number)
    return bytes.bytes(from: item.start, to: item.end)
  }

  /// Removes the entries that two lists share, each of them in order.
  static func removeShared(_ a: inout EntryList, _ b: inout EntryList) {
    guard a.count > 0 && b.count > 0 else { return }
    if a.count == 1 && b.count == 1 {
      guard ByteOrder.compare(a.entry(0), b.entry(0)) == .equal else { return }
      a.count = 0
      b.count = 0
      return
    }
    var (onlyInA, onlyInB): ([Item], [Item]) = ([], [])
    var (i, j) = (0, 0)
    while i < a.count && j < b.count {
      switch ByteOrder.compare(a.entry(i), b.entry(j)) {
      case .less:
        onlyInA.append(a.items[i])
        i += 1
      case .greater:
        onlyInB.append(b.items[j])
        j += 1
      case .equal:
        i += 1
        j += 1
      }
    }
    onlyInA += a.items[i..<a.count]
    onlyInB += b.items[j..<b.count]
    a.keep(onlyInA)
    b.keep(onlyInB)
  }
}
