#if Command
  import Foundation
  import ORM
  import ORMExchange
  import Testing

  /// CSV by RFC 4180, and where its faults are.
  struct CSVTests {
    /// A file and its records, a field apart by `|`, a record by `/`, or its fault from the line on.
    static let tables: [(String, String)] = [
      ("a,b\n1,2\n", "1|2"),
      ("a,b\n1,2", "1|2"),
      ("a,b\r\n1,2\r\n3,4\r\n", "1|2/3|4"),
      ("a,b\r\n1,2\r", "1|2"),
      ("\u{FEFF}a,b\n1,2\n", "1|2"),
      ("a,b\n,\n", "|"),
      ("a,b\n\"\",\"\"\n", "|"),
      ("a,b\n\"1,2\",\"say \"\"hi\"\"\"\n", "1,2|say \"hi\""),
      ("a,b\n\"x\ny\",\"x\r\ny\"\n2,3\n", "x\ny|x\r\ny/2|3"),
      ("\"a\",\"b\"\n1,2\n", "1|2"),
      ("a,b\n1,2\n\n3,4\n\n", "1|2/3|4"),
      ("a\n1\n\n2\n", "1//2"),
      ("a,b\n 1 ,x y\n", " 1 |x y"),
      ("a,b\nx\ry,2\n", "x\ry|2"),
      ("a,b\n", ""),
      ("", "line 1, column 1: the file has no header; its first line must name the fields"),
      ("\u{FEFF}", "line 1, column 1: the file has no header; its first line must name the fields"),
      ("a,b\n1,2,3\n", "line 2, column 5: the record has 3 fields, and the header has 2"),
      ("a,b\n\"x\ny\",2,3\n", "line 3, column 6: the record has 3 fields, and the header has 2"),
      ("a,b\n1\n", "line 2, column 2: the record has 1 fields, and the header has 2"),
      ("a,b\n1,2\n\"x", "line 3, column 1: a quoted field has no closing quote"),
      ("a,b\n1,2\n3,\"x\ny\nz", "line 3, column 3: a quoted field has no closing quote"),
      ("a,b\n1,\"x\"y\n", "line 2, column 6: text follows the closing quote of a field"),
      ("a,b\n1,\"x\"\ry\n", "line 2, column 6: text follows the closing quote of a field"),
      (
        "a,b\né,x\"y\n",
        "line 2, column 4: a quote inside an unquoted field; quote the field and double the quote"
      ),
      ("a,b,a\n1,2,3\n", "line 1, column 5: the header names the field a twice"),
      ("a,,b\n1,2,3\n", "line 1, column 3: the header has a field without a name"),
    ]

    @Test("CSV is read as RFC 4180 has it, and a fault says line and column", arguments: tables)
    func records(table: (String, String)) throws {
      #expect(try Self.read(Array(table.0.utf8)) == table.1)
    }

    @Test("Bytes that are no UTF-8 are a fault at their field")
    func invalidUTF8() throws {
      let bytes: [UInt8] = Array("a,b\n1,x\n2,".utf8) + [0xFF, 0x0A]
      #expect(try Self.read(bytes) == "line 3, column 3: the text is not UTF-8")
      #expect(
        try Self.read(Array("a\n".utf8) + [0xC3, 0x0A]) == "line 2, column 1: the text is not UTF-8"
      )
    }

    @Test("Records longer than a block of the reader are whole")
    func longRecords() throws {
      let long = String(repeating: "é,\"\"\n", count: 30_000)
      let text = "a,b\n1,\"\(long)\"\n2,x\n"
      let expected = "1|" + long.replacing("\"\"", with: "\"") + "/2|x"
      #expect(try Self.read(Array(text.utf8)) == expected)
    }

    private static func read(_ bytes: [UInt8]) throws -> String {
      var records: [String] = []
      do {
        try ImportFrom.csv(.data(Data(bytes))).forEachRecord { fields in
          records.append(
            fields.map { _, field, _ in
              if case .text(let text) = field { text } else { field.isNull ? "" : "?" }
            }.joined(separator: "|"))
        }
      } catch let error as StoreError {
        #expect(error.code == .invalidImport)
        return error.message.replacing(/, byte \d+/, with: "")
      }
      return records.joined(separator: "/")
    }
  }
#endif
