internal import Foundation
internal import ORM

/// One attribute of every type, all required.
struct Everything: PrimaryKeyed, Codable, Equatable {
  enum Size: String, Codable, AttributeValue { case small, large }
  enum Level: Int, Codable, AttributeValue { case low = -1, high = 1 }

  var id: Int
  var bool = false
  var int8: Int8 = 0
  var int16: Int16 = 0
  var int32: Int32 = 0
  var int64: Int64 = 0
  var int = 0
  var uint8: UInt8 = 0
  var uint16: UInt16 = 0
  var uint32: UInt32 = 0
  var uint64: UInt64 = 0
  var uint: UInt = 0
  var float: Float = 0
  var double = 0.0
  var string = ""
  var data = Data()
  var bytes: [UInt8] = []
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var uuid = UUID.unassigned
  var decimal = Decimal(0)
  var url = URL(filePath: "/")
  var size = Size.small
  var level = Level.low
  var ints: [Int] = []
  var strings: Set<String> = []

  init(_ id: Int) { self.id = id }

  static let entity = Entity<Everything>("Everything") {
    .key("id", \.id)
      .attribute("bool", \.bool)
      .attribute("int8", \.int8)
      .attribute("int16", \.int16)
      .attribute("int32", \.int32)
      .attribute("int64", \.int64)
      .attribute("int", \.int)
      .attribute("uint8", \.uint8)
      .attribute("uint16", \.uint16)
      .attribute("uint32", \.uint32)
      .attribute("uint64", \.uint64)
      .attribute("uint", \.uint)
      .attribute("float", \.float)
      .attribute("double", \.double)
      .attribute("string", \.string)
      .attribute("data", \.data)
      .attribute("bytes", \.bytes)
      .attribute("date", \.date)
      .attribute("uuid", \.uuid)
      .attribute("decimal", \.decimal)
      .attribute("url", \.url)
      .attribute("size", \.size)
      .attribute("level", \.level)
      .attribute("ints", \.ints)
      .attribute("strings", \.strings)
  }
}

/// One attribute of every type, all optional.
struct Anything: PrimaryKeyed, Codable, Equatable {
  var id: Int
  var bool: Bool?
  var int8: Int8?
  var int64: Int64?
  var uint32: UInt32?
  var uint64: UInt64?
  var float: Float?
  var double: Double?
  var string: String?
  var data: Data?
  var bytes: [UInt8]?
  var date: Date?
  var uuid: UUID?
  var decimal: Decimal?
  var url: URL?
  var size: Everything.Size?
  var ints: [Int]?
  var doubles: [Double]?
  var strings: Set<String>?

  init(_ id: Int) { self.id = id }

  static let entity = Entity<Anything>("Anything") {
    .key("id", \.id)
      .attribute("bool", \.bool)
      .attribute("int8", \.int8)
      .attribute("int64", \.int64)
      .attribute("uint32", \.uint32)
      .attribute("uint64", \.uint64)
      .attribute("float", \.float)
      .attribute("double", \.double)
      .attribute("string", \.string)
      .attribute("data", \.data)
      .attribute("bytes", \.bytes)
      .attribute("date", \.date)
      .attribute("uuid", \.uuid)
      .attribute("decimal", \.decimal)
      .attribute("url", \.url)
      .attribute("size", \.size)
      .attribute("ints", \.ints)
      .attribute("doubles", \.doubles)
      .attribute("strings", \.strings)
  }
}
