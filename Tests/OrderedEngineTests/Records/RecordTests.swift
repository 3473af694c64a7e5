import Foundation
import ORMCore
import TestSupport
import Testing

@testable import OrderedEngine

@Suite struct RecordTests {
  @Test func theLayoutIsAsDescribed() throws {
    let entity = StoredEntity(
      name: "snack",
      columns: [
        StoredColumn("id", .int64), StoredColumn("name", .string),
        StoredColumn("taste", .string, isOptional: true), StoredColumn("stock", .int16),
        StoredColumn("note", .data),
      ], key: [0])
    let layout = RecordLayout(entity, hasChecksums: false)
    let record = try layout.record([
      .int(258), .string("Chip"), .null, .int(-2), .data(Data([9])),
    ])
    #expect(
      record == [
        5, 0,  // columns
        0b0000_0100,  // taste is null
        2, 1, 0, 0, 0, 0, 0, 0, 0xFE, 0xFF,  // id, stock
        4, 0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0,  // where name, taste and note end
        0x43, 0x68, 0x69, 0x70, 9,
      ])
  }

  /// Clause 1.2.
  @Test func roundTripsAreExact() throws {
    try withSeed { rows in
      for _ in 0..<500 {
        let entity = rows.entity(columns: Int.random(in: 2...24, using: &rows.random))
        let layout = RecordLayout(entity, hasChecksums: rows.pick([true, false]))
        let values = rows.row(of: entity)
        let read = try #require(try layout.values(try layout.record(values)))
        try #require(areIdentical(read, values), "\(values) came back as \(read)")
      }
    }
  }

  /// Columns are set in any order with the same bytes.
  @Test func theOrderOfSettingDoesNotMatter() throws {
    try withSeed { rows in
      for _ in 0..<200 {
        let entity = rows.entity(columns: 12)
        let layout = RecordLayout(entity)
        let values = rows.row(of: entity)
        var builder = RecordBuilder(layout)
        for column in values.indices.shuffled(using: &rows.random) {
          try builder.set(values[column], layout.fields[column])
        }
        try builder.finish()
        #expect(try Array(builder.bytes) == layout.record(values))
      }
    }
  }

  @Test func rowsAreWrittenAndReadThroughOtherColumnOrders() throws {
    try withSeed { rows in
      for _ in 0..<200 {
        let entity = rows.entity(columns: 10)
        let layout = RecordLayout(entity, hasChecksums: false)
        let places = Array(entity.columns.indices.shuffled(using: &rows.random).prefix(7))
        let columns = RowColumns(layout, places)
        let values = places.map { rows.value(of: entity.columns[$0]) }
        var writer = RecordWriter(columns, maximumValueSize: 1 << 20)
        for (column, value) in values.enumerated() {
          try writer.set(value: value, at: column, type: entity.columns[places[column]].type)
        }
        try writer.builder.finish()
        defer { withExtendedLifetime(columns) {} }
        var reader = RecordReader(columns)
        let isRecord = reader.view.move(to: writer.builder.bytes)
        #expect(isRecord)
        let read = try values.indices.map { try reader.value(at: $0) }
        #expect(areIdentical(read, values))
      }
    }
  }

  /// Clause 7.5: what a record lacks holds what the column was added with.
  @Test func olderRecordsReadWhatColumnsWereAddedWith() throws {
    try withSeed { rows in
      for _ in 0..<200 {
        var entity = rows.entity(columns: 14)
        let old = Int.random(in: 1...13, using: &rows.random)
        var before = entity
        before.columns = Array(entity.columns.prefix(old))
        let values = rows.row(of: before)
        for column in old..<14 {
          entity.columns[column].defaultValue = rows.value(of: entity.columns[column].type)
          if entity.columns[column].isOptional && rows.pick([true, false]) {
            entity.columns[column].defaultValue = nil
          }
        }
        let record = try RecordLayout(before).record(values)
        let layout = RecordLayout(entity)
        let read = try #require(try layout.values(record))
        let expected = values + entity.columns[old...].map { $0.defaultValue ?? .null }
        #expect(areIdentical(read, expected))
        let columns = RowColumns(layout, Array(0..<14))
        defer { withExtendedLifetime(columns) {} }
        var reader = RecordReader(columns)
        try record.withUnsafeBytes { bytes in
          _ = reader.view.move(to: bytes)
          for column in 0..<14 {
            let isNull = try reader.isNull(at: column)
            #expect(isNull == expected[column].isNull)
            if case .string(let text) = expected[column] {
              let read = try reader.string(at: column)
              #expect(read.utf8.elementsEqual(text.utf8))
            }
            if case .int(let value) = expected[column], entity.columns[column].type != .uint64 {
              let read = try reader.int64(at: column)
              #expect(read == value)
            }
          }
        }
        #expect(try RecordLayout(before).values(try layout.record(expected)) == nil)
      }
    }
  }

  @Test func whatIsNotExpectedIsDecoding() throws {
    let entity = StoredEntity(
      name: "row", modelName: "Row",
      columns: [StoredColumn("id", .int64), StoredColumn("name", .string, isOptional: true)],
      key: [0])
    let layout = RecordLayout(entity, hasChecksums: false)
    let columns = RowColumns(layout, [0, 1])
    defer { withExtendedLifetime(columns) {} }
    var reader = RecordReader(columns)
    let record = try layout.record([.int(7), .null])
    record.withUnsafeBytes { bytes in
      _ = reader.view.move(to: bytes)
      let wrongKind = storeError { _ = try reader.string(at: 0) }
      #expect(wrongKind?.code == .decoding)
      #expect(wrongKind?.attributes == ["id"])
      let null = storeError { _ = try reader.string(at: 1) }
      #expect(null?.code == .decoding)
      #expect(null?.key == [.int(7)])
      #expect(null?.entity == "Row")
      #expect(storeError { _ = try reader.int64(at: 2) }?.code == .decoding)
      #expect(storeError { _ = try reader.int64(at: -1) }?.code == .decoding)
      #expect(storeError { try reader.withBytes(at: 0) { _ in } }?.code == .decoding)
    }
    // Clause 1.4: invalid UTF-8.
    var damaged = try layout.record([.int(7), .string("é")])
    damaged[damaged.count - 1] = 0x20
    damaged.withUnsafeBytes { bytes in
      _ = reader.view.move(to: bytes)
      let error = storeError { _ = try reader.string(at: 1) }
      #expect(error?.code == .decoding)
      #expect(error?.attributes == ["name"])
      #expect(error?.key == [.int(7)])
    }
  }

  @Test("1.4: bytes are a text exactly where the library says that they are UTF-8")
  func textsAreUTF8() {
    let pieces: [[UInt8]] = [
      Array("a".utf8), Array("bcd".utf8), Array("é".utf8), Array("ÿ".utf8), Array("€".utf8),
      Array("😀".utf8), [0x80], [0xC3], [0xC1, 0xBF], [0xED, 0xA0, 0x80], [0xE2, 0x82], [0xF5],
      [0xFF],
    ]
    var wrong: [[UInt8]] = []
    func check(_ bytes: [UInt8], _ depth: Int) {
      if !bytes.isEmpty {
        let text = bytes.withUnsafeBytes { RecordText.string(of: $0) }
        let expected = String(validating: bytes, as: UTF8.self)
        if text != expected || text.map({ Array($0.utf8) }) != expected.map({ Array($0.utf8) }) {
          wrong.append(bytes)
        }
      }
      if depth > 0 { for piece in pieces { check(bytes + piece, depth - 1) } }
    }
    check([], 4)
    check(Array("abcdef".utf8), 3)
    check(Array("abcdefghijk".utf8), 2)
    check(Array("abcdefghijklmno".utf8), 2)
    #expect(wrong == [])
  }

  @Test func writersRefuseWhatDoesNotFit() throws {
    let entity = StoredEntity(
      name: "row", modelName: "Row",
      columns: [
        StoredColumn("id", .int64), StoredColumn("small", .int8), StoredColumn("big", .uint64),
        StoredColumn("text", .string), StoredColumn("data", .data),
      ], key: [0])
    let layout = RecordLayout(entity)
    var writer = RecordWriter(RowColumns(layout, [0, 1, 2, 3, 4]), maximumValueSize: 10)
    #expect(storeError { try writer.set(128 as Int64, at: 1) }?.code == .invalidValue)
    #expect(storeError { try writer.set(-1 as Int64, at: 2) }?.code == .invalidValue)
    #expect(storeError { try writer.set(1.5, at: 0) }?.code == .invalidValue)
    #expect(storeError { try writer.set(true, at: 9) }?.code == .invalidValue)
    // Clause 1.5.
    #expect(storeError { try writer.set("12345678901", at: 3) }?.code == .tooLarge)
    #expect(storeError { try writer.set(Data(count: 11), at: 4) }?.code == .tooLarge)
    #expect(storeError { try writer.set("1234567890", at: 3) }?.code == nil)
  }
}
