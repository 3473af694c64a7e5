internal import ORMCore

/// A maintained row: its element of the result, and the details that a list needs.
struct MaintainedRow<Element: Sendable> {
  let element: Element
  /// A digest of the visible values; nil for the rows of a query.
  let digest: Int?
  /// The section; nil in a list without sections.
  let section: StoredValue?
}

/// The parts of a row that a list needs beside the model.
struct ListDetails {
  /// The columns that the model sees.
  let columns: [Int]
  /// The section of a row; nil in a list without sections.
  let section: BoundOperand?

  /// A digest of a row's visible values.
  func digest(of row: BufferedRow) -> Int {
    var hasher = BitHasher()
    for column in columns { hasher.add(row.values[column]) }
    return hasher.finalize()
  }
}

/// The location of a maintained row: its chunk, and its position there.
struct RowLocation: Equatable {
  var chunk: Int
  var row: Int
}

/// Rows in their order, in chunks that are copied only if a list shares them.
struct RowChunks<Element: Sendable> {
  private struct Chunk {
    var rows: [Element]
    /// The sort keys of the rows, one row after another.
    var keys: [StoredValue]
    var digests: [Int]
    var sections: [StoredValue]
    /// The chunk as lists have it; nil if it was changed since.
    var frozen: ListChunk<Element>?

    /// Moves the rows from a position on to another chunk.
    mutating func split(at row: Int, width: Int) -> Chunk {
      let rest = Chunk(
        rows: Array(rows[row...]), keys: Array(keys[(row * width)...]),
        digests: Array(digests.dropFirst(row)), sections: Array(sections.dropFirst(row)))
      rows.removeSubrange(row...)
      keys.removeSubrange((row * width)...)
      digests.removeLast(rest.digests.count)
      sections.removeLast(rest.sections.count)
      return rest
    }

    mutating func append(_ other: Chunk) {
      frozen = nil
      rows += other.rows
      keys += other.keys
      digests += other.digests
      sections += other.sections
    }
  }

  private var chunks: [Chunk] = []
  /// The number of sort keys of a row.
  private let width: Int
  /// The most rows of a chunk.
  private let capacity: Int
  /// The number of rows.
  private(set) var count = 0

  /// Makes the rows of chunks, with the sort keys of all rows; nil if these are of other rows.
  init?(_ frozen: [ListChunk<Element>], keys: [StoredValue], width: Int, capacity: Int) {
    self.width = width
    self.capacity = capacity
    for chunk in frozen where !chunk.rows.isEmpty {
      let start = count * width
      count += chunk.rows.count
      guard keys.count >= count * width else { return nil }
      chunks.append(
        Chunk(
          rows: chunk.rows, keys: Array(keys[start..<count * width]), digests: chunk.digests,
          sections: chunk.sections, frozen: chunk))
    }
    if keys.count != count * width { return nil }
  }

  /// All rows.
  var rows: [Element] { chunks.count == 1 ? chunks[0].rows : chunks.flatMap(\.rows) }

  /// The chunks as lists have them.
  mutating func frozen() -> [ListChunk<Element>] {
    var frozen: [ListChunk<Element>] = []
    frozen.reserveCapacity(chunks.count)
    for index in chunks.indices {
      if let known = chunks[index].frozen {
        frozen.append(known)
        continue
      }
      let made = ListChunk(
        rows: chunks[index].rows, digests: chunks[index].digests,
        sections: chunks[index].sections)
      chunks[index].frozen = made
      frozen.append(made)
    }
    return frozen
  }

  // MARK: - Locations

  /// The location behind the last row.
  var end: RowLocation { RowLocation(chunk: chunks.count, row: 0) }

  /// The first location whose row does not come before some keys.
  func location(of sortKeys: [StoredValue], _ order: [BoundSortTerm]) -> RowLocation {
    let chunk = first(of: chunks.count) {
      let last = RowLocation(chunk: $0, row: chunks[$0].rows.count - 1)
      return self.order(at: last, sortKeys, order) >= 0
    }
    if chunk == chunks.count { return end }
    let row = first(of: chunks[chunk].rows.count) {
      self.order(at: RowLocation(chunk: chunk, row: $0), sortKeys, order) >= 0
    }
    return RowLocation(chunk: chunk, row: row)
  }

  /// The first number below a count for which a predicate holds, and it holds for all after it; else
  /// the count.
  private func first(of count: Int, where holds: (Int) -> Bool) -> Int {
    var range = 0..<count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if holds(middle) {
        range = range.lowerBound..<middle
      } else {
        range = middle + 1..<range.upperBound
      }
    }
    return range.lowerBound
  }

  /// The sign of the order of the row at a location and of some keys.
  func order(at location: RowLocation, _ sortKeys: [StoredValue], _ order: [BoundSortTerm]) -> Int {
    for (number, term) in order.enumerated() {
      let key = chunks[location.chunk].keys[location.row * width + number]
      let sign = term.order(key, sortKeys[number])
      if sign != 0 { return sign }
    }
    return 0
  }

  // MARK: - Changing

  /// Replaces the sort keys of a row by others of the same order.
  mutating func setKeys(_ sortKeys: [StoredValue], at location: RowLocation) {
    let start = location.row * width
    chunks[location.chunk].keys.replaceSubrange(start..<start + width, with: sortKeys)
  }

  /// Replaces a row by one with the same sort keys.
  mutating func replace(_ row: MaintainedRow<Element>, at location: RowLocation) {
    chunks[location.chunk].frozen = nil
    chunks[location.chunk].rows[location.row] = row.element
    if let digest = row.digest { chunks[location.chunk].digests[location.row] = digest }
    if let section = row.section { chunks[location.chunk].sections[location.row] = section }
  }

  /// Inserts a row before the one at a location.
  mutating func insert(
    _ row: MaintainedRow<Element>, _ sortKeys: [StoredValue], at location: RowLocation
  ) {
    var location = location
    if chunks.isEmpty {
      chunks.append(Chunk(rows: [], keys: [], digests: [], sections: []))
      location = RowLocation(chunk: 0, row: 0)
    } else if location == end {
      location = RowLocation(chunk: chunks.count - 1, row: chunks[chunks.count - 1].rows.count)
    }
    let number = location.chunk
    chunks[number].frozen = nil
    chunks[number].rows.insert(row.element, at: location.row)
    chunks[number].keys.insert(contentsOf: sortKeys, at: location.row * width)
    if let digest = row.digest { chunks[number].digests.insert(digest, at: location.row) }
    if let section = row.section { chunks[number].sections.insert(section, at: location.row) }
    count += 1
    let size = chunks[number].rows.count
    if size > capacity {
      // Rows are often added at the end, and a full chunk there stays as it is.
      let isLast = number == chunks.count - 1 && location.row == size - 1
      let rest = chunks[number].split(at: isLast ? capacity : size / 2, width: width)
      chunks.insert(rest, at: number + 1)
    }
  }

  /// Removes the row at a location.
  mutating func remove(at location: RowLocation) {
    let number = location.chunk
    chunks[number].frozen = nil
    chunks[number].rows.remove(at: location.row)
    let start = location.row * width
    chunks[number].keys.removeSubrange(start..<start + width)
    if !chunks[number].digests.isEmpty { chunks[number].digests.remove(at: location.row) }
    if !chunks[number].sections.isEmpty { chunks[number].sections.remove(at: location.row) }
    count -= 1
    let size = chunks[number].rows.count
    if size == 0 {
      chunks.remove(at: number)
    } else if size <= capacity / 4, number + 1 < chunks.count,
      size + chunks[number + 1].rows.count <= capacity / 2
    {
      let next = chunks.remove(at: number + 1)
      chunks[number].append(next)
    }
  }

  /// Removes the last row.
  mutating func removeLast() {
    guard let last = chunks.last else { return }
    remove(at: RowLocation(chunk: chunks.count - 1, row: last.rows.count - 1))
  }
}
