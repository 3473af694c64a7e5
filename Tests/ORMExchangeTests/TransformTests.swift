import Foundation
import ORMExchange
import Testing

/// The forms of attributes in JSON.
@Suite struct TransformTests {
  private func sample(
    _ member: String, _ mapping: JSONMapping<Sample> = JSONMapping(Sample.self)
  ) throws -> Sample {
    try mapping.decodeOne("{\"id\":1,\"info\":{},\(member)}")
  }

  private func isRefused(
    _ member: String, _ mapping: JSONMapping<Sample> = JSONMapping(Sample.self)
  ) -> Bool {
    storeError { _ = try sample(member, mapping) }?.code == .invalidImport
  }

  @Test func everyTypeHasAForm() throws {
    let text = """
      {"id":1,"flag":true,"tiny":-128,"long":-9223372036854775808,"byte":255,\
      "big":18446744073709551615,"float":0.1,"double":0.1,"text":"x","note":null,"data":"AQI=",\
      "date":"2001-01-01T00:00:01Z","token":"00000000-0000-0000-0000-0000000000FF",\
      "amount":12345678901234567890.0123456789,"numbers":[1,2],"words":["a"],"size":"large",\
      "info":{"a":1}}
      """
    let sample = try JSONMapping(Sample.self).decodeOne(text)
    #expect(sample.flag)
    #expect(sample.tiny == -128)
    #expect(sample.long == .min)
    #expect(sample.byte == 255)
    #expect(sample.big == .max)
    #expect(sample.float == 0.1)
    #expect(sample.double == 0.1)
    #expect(sample.data == Data([1, 2]))
    #expect(sample.date.timeIntervalSinceReferenceDate == 1)
    #expect(sample.token.uuidString.hasSuffix("FF"))
    #expect(sample.amount == Decimal(string: "12345678901234567890.0123456789"))
    #expect(sample.numbers == [1, 2])
    #expect(sample.words == ["a"])
    #expect(sample.size == .large)
    #expect(sample.info == ["a": 1])
    #expect(try JSONMapping(Sample.self).encode(sample) == text)
  }

  @Test func numbersAreExactOrRefused() throws {
    #expect(try sample(#""long": 1.0"#).long == 1)
    #expect(try sample(#""long": 1e3"#).long == 1000)
    #expect(try sample(#""double": 3"#).double == 3)
    #expect(try sample(#""double": 9e999"#).double == .infinity)
    #expect(try sample(#""double": 9007199254740992"#).double == 9_007_199_254_740_992)
    #expect(try sample(#""amount": 1e3"#).amount == 1000)
    let refused = [
      #""long": 1.5"#, #""long": 9223372036854775808"#, #""tiny": 128"#, #""byte": -1"#,
      #""byte": 256"#, #""big": -1"#, #""big": 18446744073709551616"#, #""double": 1e400"#,
      #""double": 9007199254740993"#, #""float": 1e39"#, #""float": 16777217"#,
      #""amount": 1e200"#, #""amount": 1234567890123456789012345678901234567890.1"#,
    ]
    for member in refused { #expect(isRefused(member), "\(member)") }
  }

  @Test func otherKindsAreRefused() {
    let refused = [
      #""flag": 1"#, #""flag": "true""#, #""long": "1""#, #""long": true"#, #""text": 1"#,
      #""text": ["a"]"#, #""data": "*""#, #""date": 5"#, #""date": "yesterday""#,
      #""date": "2024-02-30""#, #""token": "x""#, #""amount": "1""#, #""numbers": 1"#,
      #""numbers": [1, "a"]"#, #""numbers": [null]"#, #""size": "huge""#, #""info": {"a": "b"}"#,
      #""text": null"#, #""long": null"#,
    ]
    for member in refused { #expect(isRefused(member), "\(member)") }
  }

  @Test func numbersMayBeTexts() throws {
    let mapping = JSONMapping(Sample.self)
      .field(\.long, as: .number()).field(\.amount, as: .number(writesText: true))
    #expect(try sample(#""long": "12", "amount": "1.50""#, mapping).long == 12)
    #expect(try sample(#""long": 12, "amount": "1.50""#, mapping).amount == 1.5)
    #expect(isRefused(#""long": " 12""#, mapping))
    #expect(isRefused(#""long": "0x1""#, mapping))
    let json = try mapping.json(of: Sample(amount: 1.5))
    #expect(json["amount"] == "1.5")
    #expect(json["long"] == 0)
  }

  @Test func booleansMayBeNumbersAndWords() throws {
    let mapping = JSONMapping(Sample.self).field(\.flag, as: .boolean(writesNumber: true))
    for word in ["1", #""1""#, "true", #""Yes""#, #""on""#] {
      #expect(try sample("\"flag\": \(word)", mapping).flag, "\(word)")
    }
    for word in ["0", #""no""#, "false", #""OFF""#] {
      #expect(try !sample("\"flag\": \(word)", mapping).flag, "\(word)")
    }
    #expect(isRefused(#""flag": 2"#, mapping))
    #expect(try mapping.json(of: Sample(flag: true))["flag"] == 1)
  }

  @Test func textsMayBeScalars() throws {
    let mapping = JSONMapping(Sample.self).field(\.text, as: .textOrScalar)
    #expect(try sample(#""text": 7.50"#, mapping).text == "7.50")
    #expect(try sample(#""text": true"#, mapping).text == "true")
    #expect(isRefused(#""text": {}"#, mapping))
  }

  @Test func datesAreTriedInOrder() throws {
    let mapping = JSONMapping(Sample.self)
      .field(\.date, as: .date(.pattern("dd.MM.yyyy HH:mm"), .iso8601, .milliseconds))
    let second = Date(timeIntervalSince1970: 1_714_559_400)
    #expect(try sample(#""date": "01.05.2024 10:30""#, mapping).date == second)
    #expect(try sample(#""date": "2024-05-01T12:30:00+02:00""#, mapping).date == second)
    #expect(try sample(#""date": 1714559400000"#, mapping).date == second)
    #expect(try mapping.json(of: Sample(date: second))["date"] == "01.05.2024 10:30")
    #expect(isRefused(#""date": "32.05.2024 10:30""#, mapping))
    let units: [(JSONDateFormat, JSONValue)] = [
      (.seconds, 1_714_559_400), (.milliseconds, 1_714_559_400_000),
      (.microseconds, 1_714_559_400_000_000), (.secondsSince2001, 736_252_200),
      (.iso8601, "2024-05-01T10:30:00Z"), (.pattern("yyyyMMddHHmmssSSSZ"), "20240501103000000Z"),
    ]
    for (format, json) in units {
      let mapping = JSONMapping(Sample.self).field(\.date, as: .date(format))
      #expect(try mapping.json(of: Sample(date: second))["date"] == json, "\(format)")
      #expect(try sample("\"date\": \(json)", mapping).date == second, "\(format)")
    }
  }

  @Test func dataHasThreeForms() throws {
    let bytes = Data([0xFB, 0xEF, 0xFF, 1])
    for (format, text) in [
      (JSONDataFormat.base64, "++//AQ=="), (.base64URL, "--__AQ"), (.hex, "fbefff01"),
    ] {
      let mapping = JSONMapping(Sample.self).field(\.data, as: .data(format))
      #expect(try mapping.json(of: Sample(data: bytes))["data"] == .string(text))
      #expect(try sample("\"data\": \"\(text)\"", mapping).data == bytes)
    }
  }

  @Test func wordsStandForValues() throws {
    let mapping = JSONMapping(Sample.self)
      .field(\.size, as: .cases(["S": .small, "L": .large], otherwise: .small))
    #expect(try sample(#""size": "L""#, mapping).size == .large)
    #expect(try sample(#""size": "XXL""#, mapping).size == .small)
    #expect(try mapping.json(of: Sample(size: .large))["size"] == "L")
    let strict = JSONMapping(Sample.self).field(\.size, as: .cases(["S": .small]))
    #expect(isRefused(#""size": "L""#, strict))
    #expect(storeError { _ = try strict.encode(Sample(size: .large)) }?.code == .invalidValue)
  }

  @Test func formsOfOnesOwn() throws {
    let cents = JSONTransform<Double>.custom("a price in cents") { json in
      json.integer.map { Double($0) / 100 }
    } write: { price in
      .number(String(Int64((price * 100).rounded())))
    }
    let mapping = JSONMapping(Sample.self).field(\.double, as: cents)
    #expect(try sample(#""double": 250"#, mapping).double == 2.5)
    #expect(try mapping.json(of: Sample(double: 2.5))["double"] == 250)
    let error = storeError { _ = try sample(#""double": "x""#, mapping) }
    #expect(error?.message.contains("expected a price in cents, found a string") == true)
  }
}
