package import FoundationEssentials
internal import ORMStorage

/// The state of a history, one row of the store that every commit reads and writes.
package struct HistoryState: Equatable {
  /// The position of a consumer.
  package struct Consumer: Equatable {
    /// The number of the last commit that it has handled.
    package var number: UInt64

    package init(number: UInt64) { self.number = number }
  }

  /// The number of the newest commit.
  package var number: UInt64 = 0
  /// The number after which every commit is retained.
  package var oldest: UInt64 = 0
  /// The number of changes that are retained.
  package var changes = 0
  /// The time of the oldest commit that is retained; nil without one.
  package var oldestTimestamp: Date?
  /// False after the history was ended.
  package var isRecorded = true
  package var bounds: HistoryBounds = .usual
  package var consumers: [ExactText: Consumer] = [:]

  private static let version: UInt8 = 1

  /// The state of a new history.
  init(_ bounds: HistoryBounds = .usual) { self.bounds = bounds }

  var bytes: [UInt8] {
    var bytes = HistoryBytes()
    bytes.append(byte: Self.version)
    bytes.append(number: number)
    bytes.append(number: oldest)
    bytes.append(count: changes)
    bytes.append(byte: oldestTimestamp == nil ? 0 : 1)
    if let oldestTimestamp {
      bytes.append(double: oldestTimestamp.timeIntervalSinceReferenceDate)
    }
    bytes.append(byte: isRecorded ? 1 : 0)
    bytes.append(double: bounds.age)
    bytes.append(count: bounds.count)
    bytes.append(texts: bounds.names)
    bytes.append(byte: UInt8(bounds.level.rawValue))
    bytes.append(double: bounds.consumerAge)
    bytes.append(count: bounds.consumerCount)
    bytes.append(count: consumers.count)
    for (name, consumer) in consumers.sorted(by: { $0.key < $1.key }) {
      bytes.append(text: name.text)
      bytes.append(number: consumer.number)
    }
    return bytes.bytes
  }

  init(_ bytes: [UInt8]) throws {
    var reader = HistoryByteReader(bytes)
    func whole(_ number: UInt64) throws -> Int {
      guard let count = Int(exactly: number) else { throw HistoryByteReader.damaged }
      return count
    }
    guard try reader.byte() == Self.version else {
      throw StoreError(
        .unsupportedVersion, "the history of the store was written by a newer version")
    }
    number = try reader.number()
    oldest = try reader.number()
    changes = try whole(reader.number())
    if try reader.byte() == 1 {
      oldestTimestamp = Date(timeIntervalSinceReferenceDate: try reader.double())
    }
    isRecorded = try reader.byte() == 1
    bounds.age = try reader.double()
    bounds.count = try whole(reader.number())
    bounds.names = try reader.texts()
    guard let level = ChangeLevel(rawValue: Int(try reader.byte())) else {
      throw HistoryByteReader.damaged
    }
    bounds.level = level
    bounds.consumerAge = try reader.double()
    bounds.consumerCount = try whole(reader.number())
    for _ in 0..<(try reader.count()) {
      let name = try reader.text()
      consumers[name] = Consumer(number: try reader.number())
    }
    guard reader.isAtEnd else { throw HistoryByteReader.damaged }
  }
}
