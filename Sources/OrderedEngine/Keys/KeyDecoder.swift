internal import FoundationEssentials
internal import ORMStorage

/// Reads the parts of a key's bytes, one after another: to find where a part ends, and to name a
/// row in an error when its record cannot be trusted.
struct KeyDecoder {
  private let bytes: UnsafeRawBufferPointer
  private(set) var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Passes over a part; false when the bytes are none.
  mutating func skip(_ term: KeyTerm) -> Bool {
    guard let end = end(of: term) else { return false }
    position = end
    return true
  }

  /// The value of the next part; nil when the bytes are none.
  ///
  /// A folded text comes back folded.
  mutating func value(_ term: KeyTerm) -> StoredValue? {
    guard let end = end(of: term), let part = bytes.part(from: position, to: end) else {
      return nil
    }
    position = end
    let turn: UInt8 = term.isDescending ? 0xFF : 0
    var plain = part.map { $0 ^ turn }
    if term.isTagged {
      if plain[0] == KeyTerm.nullTag { return .null }
      plain.removeFirst()
    }
    return value(of: plain, term)
  }

  /// The values of all parts, as many as can be read.
  static func values(_ shape: KeyShape, of bytes: UnsafeRawBufferPointer) -> [StoredValue] {
    var decoder = KeyDecoder(bytes)
    var values: [StoredValue] = []
    for term in shape.terms {
      guard let value = decoder.value(term) else { break }
      values.append(value)
    }
    return values
  }

  private func end(of term: KeyTerm) -> Int? {
    let turn: UInt8 = term.isDescending ? 0xFF : 0
    var at = position
    if term.isTagged {
      guard at < bytes.count else { return nil }
      let tag = bytes[at] ^ turn
      guard tag <= KeyTerm.valueTag else { return nil }
      at += 1
      if tag == KeyTerm.nullTag { return at }
    }
    if let width = term.valueWidth { return at + width <= bytes.count ? at + width : nil }
    if term.encoding == .decimal {
      return DecimalKey.length(in: bytes, at: at, isComplemented: term.isDescending)
        .map { at + $0 }
    }
    while at + 1 < bytes.count {
      if bytes[at] ^ turn == 0 {
        switch bytes[at + 1] ^ turn {
        case 0xFF: at += 2
        case 1: return at + 2
        default: return nil
        }
      } else {
        at += 1
      }
    }
    return nil
  }

  private func value(of plain: [UInt8], _ term: KeyTerm) -> StoredValue? {
    func word() -> UInt64 { plain.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }
    func double() -> Double {
      let bits = word()
      return Double(bitPattern: bits >> 63 == 1 ? bits ^ (1 << 63) : ~bits)
    }
    func run() -> [UInt8] {
      var run: [UInt8] = []
      var at = 0
      while at < plain.count - 2 {
        run.append(plain[at])
        at += plain[at] == 0 ? 2 : 1
      }
      return run
    }
    switch term.encoding {
    case .bool: return .bool(plain.first != 0)
    case .uint64: return .unsigned(word())
    case .double: return .double(double())
    case .date: return .date(Date(timeIntervalSinceReferenceDate: double()))
    case .uuid:
      return plain.withUnsafeBytes { bytes in
        bytes.count == 16 ? .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))) : nil
      }
    case .string: return String(validating: run(), as: UTF8.self).map { .string($0) }
    case .json: return String(validating: run(), as: UTF8.self).map { .json($0) }
    case .data: return .data(Data(run()))
    case .decimal: return DecimalKey.decimal(of: plain).map { .decimal($0) }
    case .array: return nil
    default: return .int(Int64(bitPattern: word() ^ (1 << 63)))
    }
  }
}
