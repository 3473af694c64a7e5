#if Command
  /// JSON on several lines, so that a file under version control changes line by line.
  enum JSONLayout {
    /// The length up to which an array or object stays on one line.
    private static let width = 160

    /// Puts the members and elements of long objects and arrays on lines of their own.
    ///
    /// - Parameter text: valid JSON without spaces between its parts.
    static func lines(of text: String) -> String {
      let bytes = Array(text.utf8)
      let ends = matchingEnds(in: bytes)
      var result: [UInt8] = []
      var open: [Bool] = []
      var inText = false
      var position = 0
      func breakLine() {
        result.append(UInt8(ascii: "\n"))
        result.append(
          contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * open.count(where: \.self)))
      }
      while position < bytes.count {
        let byte = bytes[position]
        position += 1
        if inText || byte == UInt8(ascii: "\"") {
          result.append(byte)
          if byte == UInt8(ascii: "\\") {
            result.append(bytes[position])
            position += 1
          } else if byte == UInt8(ascii: "\"") {
            inText.toggle()
          }
          continue
        }
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
          let length = ends[position - 1].map { $0 - position } ?? 0
          open.append(length > width)
          result.append(byte)
          if open.last == true { breakLine() }
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          if open.popLast() == true { breakLine() }
          result.append(byte)
        case UInt8(ascii: ","):
          result.append(byte)
          if open.last == true { breakLine() } else { result.append(UInt8(ascii: " ")) }
        case UInt8(ascii: ":"): result += [byte, UInt8(ascii: " ")]
        default: result.append(byte)
        }
      }
      return String(decoding: result, as: UTF8.self)
    }

    /// The position of the end of each object and array, by that of its beginning.
    private static func matchingEnds(in bytes: [UInt8]) -> [Int: Int] {
      var ends: [Int: Int] = [:]
      var open: [Int] = []
      var inText = false
      var isEscaped = false
      for (position, byte) in bytes.enumerated() {
        if inText {
          if isEscaped {
            isEscaped = false
          } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
          } else if byte == UInt8(ascii: "\"") {
            inText = false
          }
          continue
        }
        switch byte {
        case UInt8(ascii: "\""): inText = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): open.append(position)
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          if let begin = open.popLast() { ends[begin] = position }
        default: break
        }
      }
      return ends
    }
  }
#endif
