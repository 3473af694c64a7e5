import ORMCore

/// Random regular expressions and texts, worked out by the engine and the plainest way.
public enum RandomPatternRun {
  /// - Throws: a failure that names the seed, the pattern and the text.
  public static func check(count: Int, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var matches = 0
    for _ in 0..<count {
      let source = RandomPattern.pattern(&random)
      let options = random.pick(
        [
          [], [], .caseInsensitive, .normalized, .diacriticInsensitive,
          [.caseInsensitive, .normalized],
        ]
          as [TextOptions])
      let pattern = try TextPattern(source, options: options)
      for _ in 0..<4 {
        let text = RandomText.text(&random)
        let expected = NaiveText.holds(text, .matches, source, options)
        if expected { matches += 1 }
        guard pattern.matches(text) == expected else {
          throw StoreError(
            StoreError.Code(rawValue: "randomRun"),
            "seed \(seed): \(text.debugDescription) MATCHES\(options) \(source.debugDescription) "
              + "is \(expected)")
        }
      }
    }
    guard matches > count / 20 else {
      throw StoreError(
        StoreError.Code(rawValue: "randomRun"), "seed \(seed): only \(matches) texts match")
    }
  }
}
