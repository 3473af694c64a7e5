internal import ORMStorage

/// The positions of groups' keys and values in the entries of an index.
///
/// Entries that agree in all bytes up to the last key's end are of one group. An index whose first
/// terms are the keys has the entries of a group in one run.
struct EntryGroups {
  /// The number of terms up to the last that a key is made of.
  let keyTerms: Int
  /// The source of the value of each aggregate.
  let sources: [Source]

  /// A source of a value.
  enum Source {
    /// Every entry counts.
    case count
    /// An integer below `UInt64`, where it lies.
    case int64(Position)
    /// A double, where it lies.
    case double(Position)
    /// True if there is a value, which is all that counts.
    case presence(Position)
    /// The least or greatest value of the term after the keys, by which a group's entries are
    /// sorted.
    case extremes(Position)
    /// The decoded entry.
    case decoded
  }

  /// The position of a value in an entry: as many bytes after the keys in every one.
  struct Position {
    let offset: Int
    let isTagged: Bool
    let isDescending: Bool
    /// The fewest bytes of the value, with its tag.
    let width: Int
  }

  init(
    _ grouping: GroupingPlan, keys: [GroupFeed.Value], totals: [GroupFeed.Value],
    _ operands: [[Int]], _ columns: EntryColumns
  ) {
    let columnsOfKeys = keys.flatMap { key -> [Int] in
      switch key {
      case .row: []
      case .field(_, let column): [column]
      case .operand(let number): operands[number]
      }
    }
    let keyTerms = columnsOfKeys.reduce(0) { max($0, columns.termIndexes[$1] + 1) }
    self.keyTerms = keyTerms
    sources = zip(totals, grouping.totals).map { total, plan in
      switch total {
      case .row: return .count
      case .operand: return .decoded
      case .field(_, let column):
        let number = columns.termIndexes[column]
        guard let position = Self.position(of: number, after: keyTerms, columns) else {
          return .decoded
        }
        return Self.source(plan.aggregator.function, columns.terms[number], position)
      }
    }
  }

  private static func source(
    _ function: Aggregate.Kind, _ term: KeyTerm, _ position: Position
  ) -> Source {
    switch function {
    case .count: .presence(position)
    case .minimum where position.offset == 0, .maximum where position.offset == 0:
      .extremes(position)
    case _ where term.encoding.isInteger: .int64(position)
    case _ where term.encoding == .double: .double(position)
    default: .decoded
    }
  }

  /// The position of a term; nil if it is among the keys, or is not at the same position in all
  /// entries.
  private static func position(
    of number: Int, after keyTerms: Int, _ columns: EntryColumns
  ) -> Position? {
    guard number >= keyTerms else { return nil }
    var offset = 0
    for term in columns.terms[keyTerms..<number] {
      guard let width = term.width else { return nil }
      offset += width
    }
    let term = columns.terms[number]
    return Position(
      offset: offset, isTagged: term.isTagged, isDescending: term.isDescending,
      width: (term.isTagged ? 1 : 0) + (term.valueWidth ?? 0))
  }
}

extension EntryGroups.Position {
  /// Returns whether a value is there; nil where the bytes are no entry.
  @inline(__always)
  func isPresent(in bytes: UnsafeRawBufferPointer, after keys: Int) -> Bool? {
    guard isTagged else { return true }
    guard keys &+ offset < bytes.count else { return nil }
    return bytes[keys &+ offset] ^ (isDescending ? 0xFF : 0) != KeyTerm.nullTag
  }

  /// The eight bytes of a number that is there, in the order of numbers; nil where the bytes are no
  /// entry.
  @inline(__always)
  func word(in bytes: UnsafeRawBufferPointer, after keys: Int) -> UInt64? {
    let start = keys &+ offset &+ (isTagged ? 1 : 0)
    guard start &+ 8 <= bytes.count else { return nil }
    let word = UInt64(
      bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
    return isDescending ? ~word : word
  }
}
