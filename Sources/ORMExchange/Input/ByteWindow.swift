internal import Foundation
internal import ORM

/// A window that moves over the bytes of a source, in memory that does not grow with the source.
///
/// Bytes from `mark` on stay in memory while more are read.
final class ByteWindow {
  private(set) var memory: UnsafeMutableRawBufferPointer
  /// The number of bytes in memory.
  private(set) var count = 0
  /// The next byte, in memory.
  var position = 0
  /// The first byte in memory that is still needed.
  var mark = 0
  /// The position of the first byte of memory in the source.
  private(set) var base = 0
  private let read: (Int) throws -> Data
  private var isAtEnd = false
  /// The most bytes in memory.
  private let limit: Int
  private let chunk: Int
  private var counted = ImportLocation()

  /// Makes a window.
  ///
  /// - Parameters:
  ///   - limit: the most bytes of one record.
  ///   - chunk: the number of bytes that are read at once.
  ///   - read: gives at most as many bytes as asked for; none at the end.
  init(limit: Int, chunk: Int = 1 << 18, read: @escaping (Int) throws -> Data) throws {
    self.limit = limit
    self.chunk = chunk
    self.read = read
    memory = .allocate(byteCount: chunk * 2, alignment: 16)
    // Enough for a byte order mark.
    while count < 3, try refill() {}
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      (position, mark) = (3, 3)
      counted.byte = 3
    }
  }

  deinit { memory.deallocate() }

  /// The bytes in memory.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

  /// The bytes from the mark to the position.
  var marked: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[mark..<position]) }

  /// The number of bytes of the source before the position.
  var offset: Int { base + position }

  /// Reads more bytes, and moves the bytes from the mark on to the front; false at the end of the
  /// source.
  ///
  /// - Throws: `tooLarge` for a record past the limit.
  func refill() throws -> Bool {
    if isAtEnd { return false }
    if count - mark > limit {
      throw fault("a record of more than \(limit) bytes", code: .tooLarge, at: mark)
    }
    if mark > 0 {
      _ = location(at: mark)
      memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[mark..<count]))
      base += mark
      position -= mark
      count -= mark
      mark = 0
    }
    if memory.count - count < chunk {
      let larger = UnsafeMutableRawBufferPointer.allocate(
        byteCount: memory.count * 2, alignment: 16)
      larger.copyMemory(from: bytes)
      memory.deallocate()
      memory = larger
    }
    let more = try read(chunk)
    isAtEnd = more.isEmpty
    more.withUnsafeBytes {
      UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: $0)
    }
    count += more.count
    return !isAtEnd
  }

  /// The next byte; nil at the end of the source.
  @inline(__always)
  func peek() throws -> UInt8? {
    if position < count { return memory[position] }
    return try refill() ? memory[position] : nil
  }

  /// Moves past spaces, tabs and line ends, and returns the next byte.
  func skipSpace() throws -> UInt8? {
    while let byte = try peek() {
      switch byte {
      case 0x20, 0x0A, 0x0D, 0x09:
        position += 1
        mark = position
      default: return byte
      }
    }
    return nil
  }

  /// Notes the location of a byte in memory, which need not be counted then.
  func note(_ location: ImportLocation) { counted = location }

  /// The location of a byte in memory, none before one that was asked for or noted already.
  func location(at index: Int) -> ImportLocation {
    let start = counted.byte - base
    guard index > start else { return counted }
    var lines = 0
    var lineStart = start
    for i in start..<index where memory[i] == UInt8(ascii: "\n") {
      lines += 1
      lineStart = i + 1
    }
    var scalars = 0
    for i in lineStart..<index { scalars += memory[i] & 0xC0 != 0x80 ? 1 : 0 }
    counted.line += lines
    counted.column = (lines > 0 ? 1 : counted.column) + scalars
    counted.byte = base + index
    return counted
  }

  /// The error of a byte in memory.
  func fault(
    _ message: String, code: StoreError.Code = .invalidImport, at index: Int, path: String = ""
  ) -> StoreError {
    let location = location(at: index)
    return StoreError(
      code, path.isEmpty ? "\(location): \(message)" : "\(path) (\(location)): \(message)",
      rule: code == .invalidImport ? ImportFault.syntax.rawValue : nil)
  }
}
