internal import ORMStorage

/// One key of a sort by an attribute: makes bytes that order as its values do, direction, folding
/// and the position of nil included.
struct SortKey: Sendable {
  private let term: KeyTerm
  private let nullTag: UInt8
  private let options: TextOptions
  /// True if values are integers of eight bytes, the least first.
  private let isInteger: Bool

  private static let valueTag: UInt8 = 1

  /// A key for a term; nil when it is no attribute of its own row that has an order.
  init?(_ term: SortTerm, _ entity: EntityStorage) {
    guard let column = TermConstraint.column(term.operand, entity) else { return nil }
    var stored = entity.layout.entity.columns[column]
    guard stored.type.isScalar else { return nil }
    // The tag for null is the sort's own, which need not follow the direction.
    stored.isOptional = false
    self.term = KeyTerm(
      entity.layout.fields[column], of: stored, isDescending: term.isDescending)
    nullTag = term.nilsComeFirst ? 0 : 2
    options = stored.type == .string ? term.options : []
    isInteger = self.term.encoding == .int64 && !term.isDescending
  }

  /// Appends the bytes for a row.
  @inline(__always)
  func append(_ row: RecordView, to buffer: inout ByteBuffer) throws {
    if isInteger, row.holds(term.field) {
      return buffer.append(Self.valueTag, key: row.bits(term.field, Int64.self))
    }
    if row.isNull(term.field) {
      buffer.append(nullTag)
      return
    }
    buffer.append(Self.valueTag)
    if options.isEmpty {
      try buffer.append(term, of: row)
    } else {
      try appendFolded(row, to: &buffer)
    }
  }

  private func appendFolded(_ row: RecordView, to buffer: inout ByteBuffer) throws {
    let start = buffer.count
    var folded: [UInt8] = []
    try row.withBytes(term.field) { TextFolding.appendFold(of: $0, options, to: &folded) }
    folded.withUnsafeBytes { buffer.append(key: $0) }
    if term.isDescending { buffer.complement(from: start) }
  }
}
