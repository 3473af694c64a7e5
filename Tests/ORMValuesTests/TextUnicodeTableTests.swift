import Foundation
import ORMValues
import TestSupport
import Testing

/// Clause 2.4 and 2.5: every table, against two programs that do not use ours.
///
/// Texts are many short ones, a line each. A line's end is no mark and not cased, so that what
/// stands in one line has no say in the next, and a whole file is one call.
struct TextUnicodeTableTests {
  /// The questions to Python, and the same to our tables.
  static let functions: [(name: String, ours: @Sendable (String) -> String)] = [
    ("c", { TextFolding.fold($0, .caseInsensitive) }),
    ("n", { TextFolding.fold($0, .normalized) }),
    ("d", { TextFolding.fold($0, .diacriticInsensitive) }),
    ("cn", { TextFolding.fold($0, [.caseInsensitive, .normalized]) }),
    ("cd", { TextFolding.fold($0, [.caseInsensitive, .diacriticInsensitive]) }),
    ("upper", { TextFolding.uppercase($0) }),
    ("lower", { TextFolding.lowercase($0) }),
  ]

  @Test(
    "2.4: folding and case mapping of every scalar, and of random texts, are Python's",
    .enabled(if: Python.hasOurUnicode, "python3 with Unicode 14.0.0 is not on this machine"))
  func againstPython() throws {
    let seed = runSeed()
    let text = Self.everyScalar() + Self.randomLines(10_000, seed: seed)
    let theirs = try Python.results(of: text)
    for (name, ours) in Self.functions {
      let expected = try #require(theirs[name])
      Self.compare(name, ours(text), expected, seed: seed)
    }
  }

  @Test(
    "2.4: forms fold to themselves, and NFD to what the text folds to",
    .enabled(if: Python.hasOurUnicode, "python3 with Unicode 14.0.0 is not on this machine"))
  func idempotence() throws {
    let seed = runSeed()
    let text = Self.assignedScalars() + Self.randomLines(5000, seed: seed)
    let decomposed = try #require(Python.results(of: text)["nfd"])
    for (name, ours) in Self.functions.prefix(5) {
      let form = ours(text)
      Self.compare("\(name) twice", ours(form), form, seed: seed)
      if name != "c" { Self.compare("\(name) of NFD", ours(decomposed), form, seed: seed) }
    }
  }

  @Test(
    "2.5: the context of a final sigma is Python's, for every scalar in it",
    .enabled(if: Python.hasOurUnicode, "python3 with Unicode 14.0.0 is not on this machine"))
  func finalSigmaAgainstPython() throws {
    var text = ""
    for scalar in Self.allScalars where scalar.properties.generalCategory != .unassigned {
      if scalar.properties.generalCategory == .privateUse { continue }
      text += "\(scalar)Σ\nAΣ\(scalar)B\nA\(scalar)Σ\n"
    }
    let theirs = try #require(Python.results(of: text)["lower"])
    Self.compare("lower", TextFolding.lowercase(text), theirs, seed: 0)
  }

  @Test("2.4, 2.5: NFC and case mapping are the standard library's, for what both know")
  func againstStandardLibrary() {
    let seed = runSeed()
    var (text, upper, lower) = ("", "", "")
    for scalar in Self.allScalars where Self.isInUnicode14(scalar) {
      text.unicodeScalars.append(scalar)
      text += "\n"
      // A later version may give an old scalar a capital or small letter that is new.
      let mappings = (scalar.properties.uppercaseMapping, scalar.properties.lowercaseMapping)
      let isOld = (mappings.0 + mappings.1).unicodeScalars.allSatisfy(Self.isInUnicode14)
      upper += isOld ? mappings.0 : TextFolding.uppercase(String(scalar))
      lower += isOld ? mappings.1 : TextFolding.lowercase(String(scalar))
      upper += "\n"
      lower += "\n"
    }
    Self.compare("upper", TextFolding.uppercase(text), upper, seed: 0)
    Self.compare("lower", TextFolding.lowercase(text), lower, seed: 0)

    // Swift's `==` is canonical equivalence, by the library's own normalisation.
    text += Self.randomLines(5000, seed: seed)
    // It does not reorder what these three, of class 0, decompose to (Swift 6.3); Python does.
    let mistaken: Set<Unicode.Scalar> = ["\u{F73}", "\u{F75}", "\u{F81}"]
    for line in text.unicodeScalars.split(separator: "\n")
    where mistaken.isDisjoint(with: line) {
      let isEquivalent = TextFolding.normalizeNFC(String(line)) == String(line)
      #expect(isEquivalent, "\(scalars(String(line))), seed \(seed)")
    }
  }

  private static var allScalars: some Sequence<Unicode.Scalar> {
    (0...0x10FFFF as ClosedRange<UInt32>).lazy.compactMap(Unicode.Scalar.init)
  }

  private static func isInUnicode14(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.age.map { $0.major <= 14 } ?? false
  }

  /// Reports the first lines that differ.
  private static func compare(_ name: String, _ ours: String, _ theirs: String, seed: UInt64) {
    if ours.hasSameScalars(as: theirs) { return }
    let newline = UInt8(ascii: "\n")
    let lines = (
      ours.utf8.split(separator: newline, omittingEmptySubsequences: false),
      theirs.utf8.split(separator: newline, omittingEmptySubsequences: false)
    )
    let difference = zip(lines.0, lines.1).first { !$0.elementsEqual($1) }
    let shown = difference.map { "\(hexadecimal($0)), not \(hexadecimal($1))" }
    Issue.record("\(name): \(shown ?? "another number of lines"), seed \(seed)")
  }

  /// Every scalar, each alone but for the planes where there is nothing.
  private static func everyScalar() -> String {
    var text = String.UnicodeScalarView()
    for scalar in allScalars {
      text.append(scalar)
      if scalar.value < 0x40000 || scalar.value >> 16 == 14 { text.append("\n") }
    }
    return String(text)
  }

  /// Every scalar of which Unicode says anything, each alone.
  private static func assignedScalars() -> String {
    var text = String.UnicodeScalarView()
    for scalar in allScalars where !scalar.properties.isUnifiedIdeograph {
      switch scalar.properties.generalCategory {
      case .unassigned, .privateUse: continue
      default:
        text.append(scalar)
        text.append("\n")
      }
    }
    return String(text)
  }

  private static func hexadecimal(_ text: Substring.UTF8View) -> String {
    scalars(String(Substring(text)))
  }

  /// Short texts of scalars that compose, reorder, fold or are cased.
  private static func randomLines(_ count: Int, seed: UInt64) -> String {
    var random = SeededGenerator(seed: seed)
    let ranges: [ClosedRange<UInt32>] = [
      0x20...0x7E, 0x41...0x5A, 0xC0...0x17F, 0x300...0x36F, 0x300...0x345, 0x370...0x3FF,
      0x591...0x5F4, 0x610...0x6ED, 0x900...0xDFF, 0xF40...0xFBC, 0x1100...0x1112, 0x1161...0x1175,
      0x11A7...0x11C2, 0xAC00...0xAC40, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x1E00...0x1FFF,
      0x20D0...0x212B, 0xA640...0xA69F, 0xFB00...0xFB4F, 0x11080...0x110BA, 0x1D15E...0x1D1BF,
      0...0,
    ]
    var text = String.UnicodeScalarView()
    for _ in 0..<count {
      for _ in 0..<Int.random(in: 1...10, using: &random) {
        guard let range = ranges.randomElement(using: &random) else { continue }
        let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) ?? " "
        text.append(isInUnicode14(scalar) ? scalar : " ")
      }
      text.append("\n")
    }
    return String(text)
  }
}

/// The machine's `python3`, whose `unicodedata` knows nothing of ours.
enum Python {
  /// True if the program is installed and has the Unicode version of our tables.
  static let hasOurUnicode: Bool = {
    let version = try? run(["-c", "import unicodedata; print(unicodedata.unidata_version)"])
    return version == TextFolding.unicodeVersion + "\n"
  }()

  private static let program = """
    import sys, unicodedata
    folder = sys.argv[1] + '/'
    def nfd(text): return unicodedata.normalize('NFD', text)
    def nfc(text): return unicodedata.normalize('NFC', text)
    def bare(text): return ''.join(s for s in text if unicodedata.category(s) != 'Mn')
    functions = {
      'nfd': nfd,
      'c': str.casefold,
      'n': nfc,
      'd': lambda text: nfc(bare(nfd(text))),
      'cn': lambda text: nfc(nfd(nfd(text).casefold())),
      'cd': lambda text: nfc(bare(nfd(nfd(text).casefold()))),
      'upper': str.upper,
      'lower': str.lower,
    }
    with open(folder + 'text', encoding='utf-8', newline='') as file: text = file.read()
    for name, function in functions.items():
      with open(folder + name, 'w', encoding='utf-8', newline='') as file:
        file.write(function(text))
    print(*functions)
    """

  /// The results of the program's functions for the text, by their names.
  static func results(of text: String) throws -> [String: String] {
    let folder = TestFolder()
    try folder.write(Data(text.utf8), "text")
    let names = try run(["-c", program, folder.path]).split { $0 == " " || $0 == "\n" }
    var results: [String: String] = [:]
    for name in names.map(String.init) {
      results[name] = String(decoding: try bytes(folder.file(name)), as: UTF8.self)
    }
    return results
  }

  private static func run(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3"] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }
}
